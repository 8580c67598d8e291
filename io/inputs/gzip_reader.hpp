// Files that are plain or gzip, read from their beginning to their end.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/input_file.hpp"
#include "io/kept_memory.hpp"

struct z_stream_s;

namespace terrace::io {

/// Bytes of a buffer for the text of a file: little for a small one, since all of it is cleared first.
std::size_t text_buffer_bytes(const InputFile& file);

/// The bytes of a file, inflated if it is a gzip file. A gzip file may have any number of members, as `cat` and bgzip
/// make them, and zero bytes after the last one.
class GzipReader {
 public:
  /// @param file outlives the reader
  /// @throws IoError if it is compressed otherwise, with the program that unpacks it
  explicit GzipReader(const InputFile& file);
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  ~GzipReader();

  const InputFile& file() const { return file_; }
  /// True if the file is plain: it does not begin with gzip's two bytes.
  bool plain() const { return stream_ == nullptr; }
  /// The next bytes, valid as long as `buffer`, at most as many as it holds; empty at the end.
  /// @throws IoError naming the byte at which the file stops being gzip, or ends too soon
  std::string_view next(std::vector<char>& buffer) { return next(std::span(buffer)); }
  std::string_view next(std::span<char> buffer);

 private:
  bool fill();
  void inflate_some();
  void begin_member();
  std::int64_t at() const;
  [[noreturn]] void fail(const std::string& what, const char* so = "is damaged") const;

  const InputFile& file_;
  std::int64_t offset_ = 0;  // byte of the file after all that was read
  std::vector<unsigned char> packed_;
  std::unique_ptr<z_stream_s> stream_;
  bool ended_ = false;  // true if a member has ended and no other begun
};

/// The first bytes of a file, inflated if it is a gzip file; at most `most`.
std::string first_text(const InputFile& file, std::size_t most);

/// All bytes of a file, inflated if it is a gzip file.
/// @param check_kept is called before memory for more is taken; null: nothing is
std::string whole_text(const InputFile& file, const CheckKept& check_kept);

}  // namespace terrace::io
