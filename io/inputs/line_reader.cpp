#include "io/inputs/line_reader.hpp"

#include <algorithm>
#include <cstring>

#include "io/inputs/text_faults.hpp"

namespace terrace::io {

/// Reads more text behind the unread part of the buffer. @return false at the end of the file
bool LineReader::fill() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) {
    if (check_kept_) check_kept_(static_cast<std::int64_t>(2 * buffer_.size()));
    buffer_.resize(2 * buffer_.size());
  }
  const std::size_t got = text_.next(std::span(buffer_).subspan(end_)).size();
  end_ += got;
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = 0;
  const char* end = nullptr;
  for (;;) {
    const char* text = buffer_.data() + begin_;
    end = static_cast<const char*>(std::memchr(text + searched, '\n', end_ - begin_ - searched));
    if (end) break;
    searched = end_ - begin_;
    if (!fill()) break;
  }
  const std::size_t length = end ? static_cast<std::size_t>(end - buffer_.data()) - begin_ : end_ - begin_;
  if (!end && length == 0) return false;
  line = {buffer_.data() + begin_, length};
  byte_ = after_;
  after_ += static_cast<std::int64_t>(length) + (end ? 1 : 0);
  begin_ += length + (end ? 1 : 0);
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (++number_ == 1 && line.substr(0, 3) == "\xef\xbb\xbf") line.remove_prefix(3);
  check(line);
  return true;
}

/// @throws IoError if a line is hardly one: of a file of old Macs, or of UTF-16
void LineReader::check(std::string_view line) const {
  const std::string place = text_.file().path().string() + ":" + std::to_string(number_);
  if (number_ == 1 && (line.starts_with("\xff\xfe") || line.starts_with("\xfe\xff"))) {
    throw IoError(place, utf16_fault);
  }
  const std::size_t at = line.find('\r');
  if (at == line.npos) return;
  throw IoError(place + ":" + std::to_string(at + 1), carriage_return_fault);
}

}  // namespace terrace::io
