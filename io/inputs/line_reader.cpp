#include "io/inputs/line_reader.hpp"

#include <algorithm>
#include <cstring>

namespace terrace::io {

void LineReader::fill() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const auto room = static_cast<std::int64_t>(buffer_.size() - end_);
  const std::int64_t got = file_.read_some(offset_, room, buffer_.data() + end_);
  end_ += static_cast<std::size_t>(got);
  offset_ += got;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = 0;
  const char* end = nullptr;
  for (;;) {
    const char* text = buffer_.data() + begin_;
    end = static_cast<const char*>(std::memchr(text + searched, '\n', end_ - begin_ - searched));
    if (end || offset_ >= file_.size()) break;
    searched = end_ - begin_;
    fill();
    if (end_ == searched) break;  // the file has become shorter
  }
  const std::size_t length = end ? static_cast<std::size_t>(end - buffer_.data()) - begin_ : end_ - begin_;
  if (!end && length == 0) return false;
  line = {buffer_.data() + begin_, length};
  begin_ += length + (end ? 1 : 0);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (++number_ == 1 && line.substr(0, 3) == "\xef\xbb\xbf") line.remove_prefix(3);
  return true;
}

}  // namespace terrace::io
