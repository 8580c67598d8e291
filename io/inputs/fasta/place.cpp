#include "io/inputs/fasta/place.hpp"

#include <cctype>
#include <string_view>
#include <vector>

#include "io/input_file.hpp"
#include "io/inputs/gzip_reader.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

/// Counts letters of one record.
class LetterFinder {
 public:
  LetterFinder(std::size_t record, std::int64_t letter) : record_(record), left_(letter) {}

  /// Takes the next piece of the file. @return true if the letter is in it
  bool take(std::string_view text) {
    for (const char byte : text) {
      if (byte == '\n') begin_line();
      else if (is_letter(byte) && left_-- == 0) return true;
      else if (!in_mark(byte)) ++column_;
    }
    return false;
  }

  std::string place() const { return ":" + std::to_string(line_) + ":" + std::to_string(column_); }

 private:
  void begin_line() {
    ++line_;
    column_ = 1;
    sequence_ = true;
  }
  /// True for a byte of a byte order mark, which may come first.
  bool in_mark(char byte) const {
    return line_ == 1 && column_ == 1 && (byte == '\xEF' || byte == '\xBB' || byte == '\xBF');
  }
  bool is_letter(char byte) {
    if (column_ == 1 && (byte == '>' || byte == ';')) {
      sequence_ = false;
      records_ += byte == '>' ? 1 : 0;
    }
    return sequence_ && records_ == record_ + 1 &&
           (std::isalpha(static_cast<unsigned char>(byte)) || byte == '*' || byte == '-' || byte == '.');
  }

  std::size_t record_, records_ = 0;
  std::int64_t left_, line_ = 1, column_ = 1;
  bool sequence_ = true;  // else the line is a header or a comment
};

}  // namespace

std::string fasta_place(const std::filesystem::path& path, std::size_t record, std::int64_t letter) {
  try {
    const InputFile file(path);
    GzipReader reader(file);
    std::vector<char> buffer(text_buffer_bytes(file));
    LetterFinder finder(record, letter);
    for (std::string_view text = reader.next(buffer); !text.empty(); text = reader.next(buffer)) {
      if (finder.take(text)) return path.string() + finder.place();
    }
  } catch (const IoError&) {
    // The place is a part of an error that is reported anyway.
  }
  return path.string();
}

}  // namespace terrace::io
