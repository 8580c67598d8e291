// Text files, plain or gzip, line by line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/inputs/gzip_reader.hpp"

namespace terrace::io {

/// Lines of a file in order, without their ends (LF or CRLF) and without a leading byte order mark. A line may be as
/// long as memory allows. A gzip file is inflated on the way.
class LineReader {
 public:
  /// @param file outlives the reader
  /// @param check_kept is called before a long line takes more memory; null: nothing is
  explicit LineReader(const InputFile& file, CheckKept check_kept = nullptr)
      : text_(file), check_kept_(std::move(check_kept)), buffer_(text_buffer_bytes(file)) {}

  /// The next line, valid until the next call. @return false at the end of the file. @throws IoError, also for lines
  /// that end with CR alone and for UTF-16
  bool next(std::string_view& line);
  /// Number of the line that `next` gave, from 1.
  std::int64_t number() const { return number_; }
  /// The byte of the text at which it begins, from 0, with a byte order mark.
  std::int64_t byte() const { return byte_; }

 private:
  bool fill();
  void check(std::string_view line) const;

  GzipReader text_;
  CheckKept check_kept_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the unread part of the buffer
  std::int64_t number_ = 0;
  std::int64_t byte_ = 0, after_ = 0;  // where the line begins, and the next one
};

}  // namespace terrace::io
