// Letters of sequences as the codes that kernels compare.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "pipeline/base/settings.hpp"

namespace terrace::stages {

enum class Side { rows, columns };

/// The alphabet of a stage with these settings, for letter_codes(): its matrix, else `alphabet`, else dna.
std::string alphabet_of(const Settings& settings);

/// The code of every byte, or -1 if it is no letter of the alphabet. Equal codes are equal letters; a letter that
/// equals nothing has one code in rows and another in columns.
/// @param alphabet  dna, protein or text, case matters in text alone; or the matrix whose rows the codes are
/// @param ambiguous literal, mismatch or error: DNA letters other than A, C, G, T
std::array<std::int16_t, 256> letter_codes(const std::string& alphabet, const std::string& ambiguous, Side side);

/// The error for a byte without a code, and the remedy in the job: "is no DNA letter (A, C, G, T or ...".
std::string letter_error(const std::string& alphabet, const std::string& ambiguous, unsigned char letter);

}  // namespace terrace::stages
