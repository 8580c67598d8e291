// Text files, line by line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/input_file.hpp"

namespace terrace::io {

/// Lines of a file in order, without their ends (LF or CRLF) and without a leading byte order mark. A line may be as
/// long as memory allows.
class LineReader {
 public:
  explicit LineReader(const InputFile& file) : file_(file), buffer_(std::size_t{1} << 20) {}

  /// The next line, valid until the next call. @return false at the end of the file. @throws IoError
  bool next(std::string_view& line);
  /// Number of the line that `next` gave, from 1.
  std::int64_t number() const { return number_; }

 private:
  void fill();

  const InputFile& file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the unread part of the buffer
  std::int64_t offset_ = 0;          // byte of the file that comes after the buffer
  std::int64_t number_ = 0;
};

}  // namespace terrace::io
