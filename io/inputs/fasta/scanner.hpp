// FASTA text, cut into records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/inputs/fasta/record.hpp"

namespace terrace::io {

/// Takes FASTA text piece by piece and hands its records on. Letters are A-Z, a-z (case is kept), '*', '-'
/// and '.'; blanks between them and blank lines are ignored; lines end with LF or CRLF; lines that begin with ';' are
/// comments. A byte order mark at the beginning is ignored.
class FastaScanner {
 public:
  /// @param path names the file in errors @param taker of its records; outlives the scanner
  FastaScanner(std::string path, RecordTaker& taker);

  /// @throws IoError naming line and column of text that is not FASTA
  void take(std::string_view text);
  /// Ends the text. @throws IoError if there is no record
  void finish();

 private:
  enum class State { line_start, header, comment, sequence };

  std::string_view skip_mark(std::string_view text);
  std::string_view take_sequence(std::string_view text);
  std::string_view take_line(std::string_view text);
  void take_letters(std::string_view letters);
  TextPlace place_of(const char* letter, std::int64_t column) const;
  void end_line();
  void begin_record();
  [[noreturn]] void fail(std::int64_t column, const std::string& what) const;
  [[noreturn]] void fail_byte(std::int64_t column, char letter) const;

  std::string path_;
  RecordTaker& taker_;
  State state_ = State::line_start;
  std::string line_text_;         // of a header
  std::string_view piece_;        // of the text, which is being taken
  std::int64_t piece_begin_ = 0;  // its first byte in the text
  std::int64_t line_ = 1;
  std::int64_t column_ = 1;
  std::size_t mark_bytes_ = 0;    // of a byte order mark before everything else; all of them once letters have come
  bool carriage_return_ = false;  // the last byte was one: a line feed must follow
};

}  // namespace terrace::io
