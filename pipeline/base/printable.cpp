#include "pipeline/base/printable.hpp"

#include <cstdio>

namespace terrace {
namespace {

constexpr std::size_t longest_quote = 60;

/// Bytes of the UTF-8 sequence at the start of `text`, 0 if there is none (RFC 3629: not overlong, no surrogates).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool second = follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
    return second && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool second = follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
    return second && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

/// True if a letter, given as UTF-8, controls a terminal: below U+0020, DEL, and U+0080 to U+009F.
bool is_control(std::string_view letter) {
  const auto first = static_cast<unsigned char>(letter[0]);
  if (letter.size() == 1) return first < 0x20 || first == 0x7F;
  return first == 0xC2 && static_cast<unsigned char>(letter[1]) < 0xA0;
}

/// Calls visit(letter, fit) for every letter of the text, and for every byte that is not part of a letter.
template <class Visit>
void for_each_letter(std::string_view text, const Visit& visit) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text.substr(at));
    const std::string_view letter = text.substr(at, length == 0 ? 1 : length);
    visit(at, letter, length > 0 && !is_control(letter));
    at += letter.size();
  }
}

}  // namespace

std::size_t first_invalid_byte(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = sequence_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return text.size();
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for_each_letter(text, [&](std::size_t, std::string_view letter, bool fit) {
    if (fit || letter == "\n" || letter == "\t") result += letter;
    else result += '?';
  });
  return result;
}

std::string quote(std::string_view text) {
  std::string result = "'";
  bool cut = false;
  for_each_letter(text, [&](std::size_t at, std::string_view letter, bool fit) {
    cut = cut || at >= longest_quote;
    if (cut) return;
    if (fit) {
      result += letter;
      return;
    }
    for (const char byte : letter) {
      char code[8];
      std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned char>(byte));
      result += code;
    }
  });
  return result + (cut ? "...'" : "'");
}

}  // namespace terrace
