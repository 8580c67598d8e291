// Letters of sequences as the codes that kernels compare.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace terrace::stages {

enum class Side { rows, columns };

/// The letters of a stage's sequences.
struct Alphabet {
  std::string name;                 // dna, protein or text; of a matrix its name in the job
  std::string matrix_letters = {};  // the letters of its matrix, in the order of codes; empty: there is no matrix
};

/// Codes of DNA from here on are of letters that equal nothing, not even themselves.
inline constexpr std::int16_t first_unlike = 254;

/// The code of every byte, or -1 if it is no letter of the alphabet. Equal codes are equal letters; a letter that
/// equals nothing has one code in rows and another in columns. Case matters in text alone. In DNA, U is the letter T.
/// @param ambiguous literal, mismatch or error: DNA letters other than A, C, G, T, U; no matter where there is a
/// matrix
std::array<std::int16_t, 256> letter_codes(const Alphabet& alphabet, const std::string& ambiguous, Side side);

/// The error for a byte without a code, and the remedy in the job: "is no DNA letter (A, C, G, T or ...".
std::string letter_error(const Alphabet& alphabet, const std::string& ambiguous, unsigned char letter);

}  // namespace terrace::stages
