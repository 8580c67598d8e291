// Letters of sequences in text.
#pragma once

#include <array>
#include <string_view>

namespace terrace::io {

enum class LetterClass : unsigned char { bad, letter, blank };

inline constexpr std::array<LetterClass, 256> letter_classes = [] {
  std::array<LetterClass, 256> classes{};
  for (unsigned char c = 'A'; c <= 'Z'; ++c) classes[c] = classes[c + 32u] = LetterClass::letter;
  for (unsigned char c : {'*', '-', '.'}) classes[c] = LetterClass::letter;
  classes[' '] = classes['\t'] = LetterClass::blank;
  return classes;
}();

inline LetterClass class_of(char c) { return letter_classes[static_cast<unsigned char>(c)]; }

/// True if all are A to Z or a to z. Without a table, so that the compiler takes many letters at a time.
inline bool only_a_to_z(std::string_view text) {
  unsigned char others = 0;
  for (const char c : text) others |= static_cast<unsigned char>((c | 0x20) - 'a') >= 26 ? 1 : 0;
  return others == 0;
}

}  // namespace terrace::io
