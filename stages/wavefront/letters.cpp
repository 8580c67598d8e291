#include "stages/wavefront/letters.hpp"

#include <cctype>
#include <string_view>

namespace terrace::stages {
namespace {

constexpr std::string_view bases = "ACGT";
constexpr std::string_view ambiguous_bases = "RYSWKMBDHVNX";  // IUPAC, and X for an unknown base
constexpr std::string_view protein_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ*";
constexpr std::int16_t unlike_rows = first_unlike, unlike_columns = first_unlike + 1;

void give(std::array<std::int16_t, 256>& codes, char letter, std::int16_t code) {
  codes[static_cast<unsigned char>(letter)] = code;
  codes[static_cast<unsigned char>(std::tolower(static_cast<unsigned char>(letter)))] = code;
}

}  // namespace

std::array<std::int16_t, 256> letter_codes(const Alphabet& alphabet, const std::string& ambiguous, Side side) {
  std::array<std::int16_t, 256> codes;
  codes.fill(-1);
  std::int16_t next = 0;
  if (!alphabet.matrix_letters.empty()) {
    for (char letter : alphabet.matrix_letters) give(codes, letter, next++);
    return codes;
  }
  if (alphabet.name == "text") {
    for (std::int16_t& code : codes) code = next++;
    return codes;
  }
  if (alphabet.name == "protein") {
    for (char letter : protein_letters) give(codes, letter, static_cast<std::int16_t>(letter));
    return codes;
  }
  for (char base : bases) give(codes, base, next++);
  give(codes, 'U', codes['T']);  // RNA has it in place of T
  if (ambiguous == "error") return codes;
  const std::int16_t unlike = side == Side::rows ? unlike_rows : unlike_columns;
  for (char letter : ambiguous_bases) give(codes, letter, ambiguous == "literal" ? next++ : unlike);
  return codes;
}

std::string letter_error(const Alphabet& alphabet, const std::string& ambiguous, unsigned char letter) {
  if (!alphabet.matrix_letters.empty()) {
    return "is no letter of the matrix " + alphabet.name + ", which has " + alphabet.matrix_letters;
  }
  if (alphabet.name == "protein") return "is no letter of a protein (A to Z, *)";
  if (ambiguous == "error") return "is not A, C, G, T or U, and the stage says `ambiguous: error`";
  const bool amino_acid = protein_letters.find(static_cast<char>(std::toupper(letter))) != protein_letters.npos;
  return std::string("is no DNA letter (A, C, G, T, U or an IUPAC code); ") +
         (amino_acid ? "for a protein say `alphabet: protein`, or score it by `matrix: blosum62`"
                     : "for other texts say `alphabet: text`");
}

}  // namespace terrace::stages
