#include "pipeline/job/yaml/scan.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace terrace::job {
namespace {

/// Most indentations of a block that are tried.
constexpr int most_tries = 200;

bool is_blank(char letter) { return letter == ' ' || letter == '\t'; }
bool is_break(char letter) { return letter == '\n' || letter == '\r'; }

/// Digits of the code point after the letter of an escape; 0: the letter is no such escape.
std::size_t digits_of_escape(char letter) {
  if (letter == 'x') return 2;
  if (letter == 'u') return 4;
  return letter == 'U' ? 8 : 0;
}

std::string utf8_of(std::uint32_t point) {
  const auto byte = [](std::uint32_t bits) { return static_cast<char>(bits); };
  const auto next = [&](int shift) { return byte(0x80 | ((point >> shift) & 0x3F)); };
  if (point < 0x80) return {byte(point)};
  if (point < 0x800) return {byte(0xC0 | (point >> 6)), next(0)};
  if (point < 0x10000) return {byte(0xE0 | (point >> 12)), next(6), next(0)};
  return {byte(0xF0 | (point >> 18)), next(12), next(6), next(0)};
}

/// The letters of an escape without digits; empty if there is no such escape.
std::string letters_of_escape(char letter) {
  constexpr std::string_view names = "0abt\tnvfre \"'/\\";
  constexpr std::string_view values("\0\a\b\t\t\n\v\f\r\x1B \"'/\\", 15);
  const std::size_t at = names.find(letter);
  if (at != names.npos) return std::string(1, values[at]);
  if (letter == 'N') return "\xC2\x85";
  if (letter == '_') return "\xC2\xA0";
  if (letter == 'L') return "\xE2\x80\xA8";
  return letter == 'P' ? "\xE2\x80\xA9" : "";
}

/// Walks through the source and the value at the same time. The value says how the parser folded lines, so that one
/// rule does for all styles: a letter stands on its line as it is, and the ends of lines between two of them are as
/// many newlines as the value has, or one blank.
class Scan {
 public:
  Scan(std::string_view source, std::size_t at, std::string_view value) : source_(source), at_(at), value_(value) {}

  std::size_t begin() {
    skip_properties();
    return at_;
  }

  std::optional<std::vector<std::size_t>> bytes() {
    skip_properties();
    const char first = peek();
    if (first == '"' || first == '\'') return read_quoted(first);
    if (first == '|' || first == '>') return read_block(first);
    return read_plain();
  }

 private:
  using Bytes = std::optional<std::vector<std::size_t>>;

  bool at_end() const { return at_ >= source_.size(); }
  /// The letter at `ahead`; a zero byte, which no source has, behind the end.
  char peek(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  bool value_done() const { return bytes_.size() >= value_.size(); }
  char wanted() const { return value_done() ? '\0' : value_[bytes_.size()]; }

  /// Takes letters of the value that come from byte `from` of the source. @returns false if the value has others
  bool take(std::string_view letters, std::size_t from) {
    if (value_.substr(bytes_.size(), letters.size()) != letters) return false;
    bytes_.insert(bytes_.end(), letters.size(), from);
    return true;
  }

  bool take_letter() {
    if (at_end() || !take(source_.substr(at_, 1), at_)) return false;
    ++at_;
    return true;
  }

  Bytes done() {
    bytes_.push_back(at_);
    return std::move(bytes_);
  }

  void skip_blanks() {
    while (is_blank(peek())) ++at_;
  }

  void skip_line() {
    while (!at_end() && !is_break(peek())) ++at_;
  }

  /// Skips one end of a line: CR, LF, or both.
  void skip_break() {
    if (peek() == '\r' && peek(1) == '\n') ++at_;
    ++at_;
  }

  /// Skips anchors and tags before the scalar, with the comments and lines between them.
  void skip_properties() {
    const std::size_t begin = at_;
    while (!at_end()) {
      const char letter = peek();
      if (is_blank(letter)) ++at_;
      else if (is_break(letter)) skip_break();
      else if (letter == '#' && at_ > begin) skip_line();
      else if (letter == '&' || letter == '!') skip_word();
      else return;
    }
  }

  void skip_word() {
    while (!at_end() && !is_blank(peek()) && !is_break(peek())) ++at_;
  }

  /// True if nothing but blanks stands before the end of this line.
  bool only_blanks_left() const {
    std::size_t at = at_;
    while (at < source_.size() && is_blank(source_[at])) ++at;
    return at < source_.size() && is_break(source_[at]);
  }

  /// Takes what the value has for `ends` ends of lines: newlines, or a blank for one alone.
  void take_breaks(const std::vector<std::size_t>& ends, bool folded) {
    std::size_t taken = 0;
    while (taken < ends.size() && wanted() == '\n') take("\n", ends[taken++]);
    if (folded && taken == 0 && ends.size() == 1 && wanted() == ' ') take(" ", ends[0]);
  }

  /// Passes blanks and ends of lines before the next letter, in a scalar that is no block: blanks within a line are
  /// letters. @returns false if the value has others
  bool pass_blanks() {
    if (!is_blank(peek()) && !is_break(peek())) return true;
    const std::vector<std::size_t> ends = skip_lines();
    if (!ends.empty()) {
      take_breaks(ends, true);
      return true;
    }
    while (is_blank(peek()) && !value_done()) {
      if (!take_letter()) return false;
    }
    return true;
  }

  /// Skips the ends of lines before the next letter, and the blanks around them.
  std::vector<std::size_t> skip_lines() {
    std::vector<std::size_t> ends;
    while (only_blanks_left()) {
      skip_blanks();
      ends.push_back(at_);
      skip_break();
    }
    if (!ends.empty()) skip_blanks();
    return ends;
  }

  Bytes read_plain() {
    while (!value_done()) {
      if (!pass_blanks()) return std::nullopt;
      if (!value_done() && !take_letter()) return std::nullopt;
    }
    return done();
  }

  Bytes read_quoted(char quote) {
    ++at_;
    while (true) {
      if (!pass_blanks() || at_end()) return std::nullopt;
      const bool doubled = quote == '\'' && peek() == quote && peek(1) == quote;
      if (peek() == quote && !doubled) return value_done() ? done() : std::nullopt;
      if (doubled) {
        if (!take("'", at_)) return std::nullopt;
        at_ += 2;
      } else if (quote == '"' && peek() == '\\') {
        if (!take_escape()) return std::nullopt;
      } else if (!take_letter()) {
        return std::nullopt;
      }
    }
  }

  /// Takes one escape of a text in double quotes.
  bool take_escape() {
    const std::size_t from = at_++;
    if (is_break(peek())) return skip_escaped_break();
    const std::size_t digits = digits_of_escape(peek());
    if (digits == 0) {
      const std::string letters = letters_of_escape(peek());
      ++at_;
      // The parser gives the last byte alone of \N and \_.
      return !letters.empty() && (take(letters, from) || take(letters.substr(letters.size() - 1), from));
    }
    std::uint32_t point = 0;
    for (std::size_t i = 1; i <= digits; ++i) {
      const std::size_t digit = std::string_view("0123456789abcdef0123456789ABCDEF").find(peek(i));
      if (digit == std::string_view::npos) return false;
      point = point * 16 + static_cast<std::uint32_t>(digit % 16);
    }
    at_ += digits + 1;
    return take(utf8_of(point), from);
  }

  /// A backslash at the end of a line: the text goes on in the next line that is not empty.
  bool skip_escaped_break() {
    skip_break();
    const std::vector<std::size_t> ends = skip_lines();
    skip_blanks();
    take_breaks(ends, false);
    return true;
  }

  Bytes read_block(char style) {
    skip_line();  // indicators and a comment
    if (!at_end()) skip_break();
    const std::size_t begin = at_;
    const auto fits = [&](std::size_t indent) {
      at_ = begin;
      bytes_.clear();
      return take_lines(indent, style == '>');
    };
    // The indentation is that of the first line with letters. With an indicator it is another one, which depends on
    // the lines above: it is the one with which the value is right.
    auto [usual, largest] = indents();
    if (fits(usual)) return done();
    for (int tries = 0; tries < most_tries; ++tries) {
      if (fits(largest)) return done();
      if (largest-- == 0) break;
    }
    return std::nullopt;
  }

  /// The blanks before the first letter, and the most blanks in a line up to there.
  std::pair<std::size_t, std::size_t> indents() const {
    std::size_t line = at_, at = at_, largest = 0;
    for (; at < source_.size() && (source_[at] == ' ' || is_break(source_[at])); ++at) {
      if (is_break(source_[at])) line = at + 1;
      else largest = std::max(largest, at + 1 - line);
    }
    return {at - line, largest};
  }

  /// True if nothing but indentation stands before the end of this line.
  bool is_empty_line(std::size_t indent) const {
    std::size_t at = at_;
    while (at < source_.size() && at < at_ + indent && source_[at] == ' ') ++at;
    return at < source_.size() && is_break(source_[at]);
  }

  void skip_indent(std::size_t indent) {
    for (std::size_t i = 0; i < indent && peek() == ' '; ++i) ++at_;
  }

  bool take_lines(std::size_t indent, bool folded) {
    std::vector<std::size_t> ends;  // of lines since the last letter
    while (true) {
      while (is_empty_line(indent)) {
        skip_indent(indent);
        ends.push_back(at_);
        skip_break();
      }
      take_breaks(ends, folded);
      if (value_done()) {
        if (!ends.empty()) at_ = ends.front();
        return true;
      }
      ends.clear();
      skip_indent(indent);
      while (!value_done() && !at_end() && !is_break(peek())) {
        if (!take_letter()) return false;
      }
      if (at_end()) return value_done();
      if (!is_break(peek())) return false;
      ends.push_back(at_);
      skip_break();
    }
  }

  std::string_view source_;
  std::size_t at_;
  std::string_view value_;
  std::vector<std::size_t> bytes_ = {};  // of the source, for each byte of the value so far
};

}  // namespace

std::size_t begin_of_scalar(std::string_view source, std::size_t at) { return Scan(source, at, {}).begin(); }

std::optional<std::vector<std::size_t>> bytes_of_scalar(std::string_view source, std::size_t at,
                                                        std::string_view value) {
  return Scan(source, at, value).bytes();
}

}  // namespace terrace::job
