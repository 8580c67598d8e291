#include "io/inputs/fasta/scanner.hpp"

#include <algorithm>
#include <cstdio>

#include "io/inputs/fasta/letters.hpp"
#include "io/inputs/text_faults.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
FastaScanner::FastaScanner(std::string path, RecordTaker& taker) : path_(std::move(path)), taker_(taker) {}

/// A byte order mark may come first, as some editors write it.
std::string_view FastaScanner::skip_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  const bool begins = piece_begin_ == 0 && line_ == 1 && column_ == 1;
  if (begins && (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))) throw IoError(path_, utf16_fault);
  while (mark_bytes_ < mark.size() && !text.empty() && text[0] == mark[mark_bytes_]) {
    text.remove_prefix(1);
    ++mark_bytes_;
  }
  if (!text.empty() && mark_bytes_ > 0 && mark_bytes_ < mark.size()) fail_byte(1, mark[0]);
  if (!text.empty()) mark_bytes_ = mark.size();
  return text;
}

void FastaScanner::take(std::string_view text) {
  piece_ = text;
  text = skip_mark(text);
  while (!text.empty()) {
    if (state_ == State::line_start) {
      const char first = text[0];
      state_ = first == '>' ? State::header : first == ';' ? State::comment : State::sequence;
    }
    text = state_ == State::sequence ? take_sequence(text) : take_line(text);
  }
  piece_begin_ += static_cast<std::int64_t>(piece_.size());
}

TextPlace FastaScanner::place_of(const char* letter, std::int64_t column) const {
  return {piece_begin_ + (letter - piece_.data()), line_, column};
}

std::string_view FastaScanner::take_line(std::string_view text) {
  constexpr std::size_t longest_header = std::size_t{1} << 20;
  const std::size_t end = text.find('\n');
  const std::string_view piece = text.substr(0, end);
  if (line_text_.size() + piece.size() > longest_header)
    fail(1, "this line is too long for a header; is this FASTA?");
  line_text_ += piece;
  if (end == text.npos) return {};
  end_line();
  return text.substr(end + 1);
}

std::string_view FastaScanner::take_sequence(std::string_view text) {
  const std::size_t end = text.find('\n');
  std::string_view piece = text.substr(0, end);
  if (carriage_return_ && !piece.empty()) fail_byte(column_ - 1, '\r');
  if (!piece.empty() && piece.back() == '\r') {
    piece.remove_suffix(1);
    carriage_return_ = true;
  }
  take_letters(piece);
  column_ += static_cast<std::int64_t>(piece.size()) + (carriage_return_ ? 1 : 0);
  if (end == text.npos) return {};
  end_line();
  return text.substr(end + 1);
}

void FastaScanner::take_letters(std::string_view letters) {
  const bool all_letters = only_a_to_z(letters);
  const bool only_blank = !all_letters && letters.find_first_not_of(" \t") == letters.npos;
  if (!taker_.any() && !letters.empty() && !only_blank) {
    fail(column_, "letters before the first record; a FASTA file begins with a line '>name'");
  }
  if (all_letters) {
    if (!letters.empty()) taker_.add(letters, place_of(letters.data(), column_));
    return;
  }
  for (std::size_t i = 0; i < letters.size();) {
    const std::int64_t column = column_ + static_cast<std::int64_t>(i);
    if (class_of(letters[i]) == LetterClass::bad) fail_byte(column, letters[i]);
    std::size_t end = i + 1;
    if (class_of(letters[i]) == LetterClass::letter) {
      while (end < letters.size() && class_of(letters[end]) == LetterClass::letter) ++end;
      taker_.add(letters.substr(i, end - i), place_of(letters.data() + i, column));
    }
    i = end;
  }
}

void FastaScanner::end_line() {
  if (state_ == State::header) begin_record();
  line_text_.clear();
  state_ = State::line_start;
  carriage_return_ = false;
  column_ = 1;
  ++line_;
}

void FastaScanner::begin_record() {
  if (!line_text_.empty() && line_text_.back() == '\r') line_text_.pop_back();
  for (std::size_t i = 0; i < line_text_.size(); ++i) {
    const auto c = static_cast<unsigned char>(line_text_[i]);
    if ((c < ' ' && c != '\t' && c != 1) || c == 127) fail_byte(static_cast<std::int64_t>(i) + 1, line_text_[i]);
  }
  const std::size_t begin = std::min(line_text_.find_first_not_of(" \t", 1), line_text_.size());
  taker_.begin(std::string_view(line_text_).substr(begin), line_);
}

void FastaScanner::finish() {
  if (state_ != State::line_start) end_line();
  if (!taker_.any()) throw IoError(path_, "has no record: no line begins with '>'");
}

void FastaScanner::fail(std::int64_t column, const std::string& what) const {
  throw IoError(path_ + ":" + std::to_string(line_) + ":" + std::to_string(column), what);
}

void FastaScanner::fail_byte(std::int64_t column, char c) const {
  if (c == '\r') fail(column, carriage_return_fault);
  char shown[16];
  const auto byte = static_cast<unsigned char>(c);
  std::snprintf(shown, sizeof shown, byte > ' ' && byte < 127 ? "'%c'" : "byte 0x%02x", byte);
  fail(column, std::string(shown) + " has no place in FASTA: a sequence has letters, '*', '-' and '.'");
}

}  // namespace terrace::io
