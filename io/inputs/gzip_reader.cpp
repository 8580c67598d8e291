#include "io/inputs/gzip_reader.hpp"

#include <zlib.h>

#include <algorithm>

#include "io/inputs/packed_file.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

constexpr unsigned char magic[2] = {0x1f, 0x8b};
constexpr std::size_t packed_bytes = std::size_t{1} << 18;
constexpr int gzip_window = 15 + 16;  // zlib's largest window, and gzip's wrapper around the data

}  // namespace

std::size_t text_buffer_bytes(const InputFile& file) {
  return std::clamp(static_cast<std::size_t>(file.size()) + 1, std::size_t{1} << 12, std::size_t{1} << 20);
}

GzipReader::GzipReader(const InputFile& file) : file_(file) {
  unsigned char first[2] = {};
  if (file.read_some(0, 2, first) < 2 || !std::equal(first, first + 2, magic)) {
    refuse_packed(file);
    return;
  }
  packed_.resize(packed_bytes);
  stream_ = std::make_unique<z_stream_s>();
  if (inflateInit2(stream_.get(), gzip_window) != Z_OK) throw IoError(file.path().string(), "zlib cannot be set up");
}

GzipReader::~GzipReader() {
  if (stream_) inflateEnd(stream_.get());
}

std::string_view GzipReader::next(std::span<char> buffer) {
  if (plain()) {
    const auto got = file_.read_some(offset_, static_cast<std::int64_t>(buffer.size()), buffer.data());
    offset_ += got;
    return {buffer.data(), static_cast<std::size_t>(got)};
  }
  stream_->next_out = reinterpret_cast<Bytef*>(buffer.data());
  stream_->avail_out = static_cast<uInt>(buffer.size());
  while (stream_->avail_out == buffer.size()) {
    const bool more = fill();
    if (!more && ended_) break;
    if (!more) fail("the gzip data end too soon", "was cut short");
    if (ended_) begin_member();
    else inflate_some();
  }
  return {buffer.data(), buffer.size() - stream_->avail_out};
}

/// Reads more of the file if all that was read is used up. @return true if there is any
bool GzipReader::fill() {
  if (stream_->avail_in > 0) return true;
  const auto got = file_.read_some(offset_, static_cast<std::int64_t>(packed_.size()), packed_.data());
  offset_ += got;
  stream_->next_in = packed_.data();
  stream_->avail_in = static_cast<uInt>(got);
  return got > 0;
}

void GzipReader::inflate_some() {
  const int code = inflate(stream_.get(), Z_NO_FLUSH);
  if (code == Z_OK || code == Z_BUF_ERROR) return;
  if (code != Z_STREAM_END) {
    fail(std::string("the gzip data are damaged") + (stream_->msg ? std::string(": ") + stream_->msg : ""));
  }
  ended_ = true;
}

/// Begins another member, or accepts padding up to the end of the file.
void GzipReader::begin_member() {
  if (*stream_->next_in == 0) {
    while (fill()) {
      if (*stream_->next_in != 0) fail("behind padding with zero bytes there is something else");
      ++stream_->next_in, --stream_->avail_in;
    }
    return;
  }
  if (*stream_->next_in != magic[0]) {
    fail("what follows the end of the gzip data is neither more gzip data nor padding with zero bytes");
  }
  inflateReset(stream_.get());
  ended_ = false;
}

std::int64_t GzipReader::at() const { return offset_ - static_cast<std::int64_t>(stream_->avail_in); }

void GzipReader::fail(const std::string& what, const char* so) const {
  throw IoError(file_.path().string(),
                "byte " + std::to_string(at()) + ": " + what + "; the file " + so + ", fetch or make it again");
}

std::string first_text(const InputFile& file, std::size_t most) {
  GzipReader reader(file);
  std::string text(most, '\0');
  std::size_t size = 0;
  while (size < most) {
    const std::size_t got = reader.next(std::span(text).subspan(size)).size();
    if (got == 0) break;
    size += got;
  }
  text.resize(size);
  return text;
}

std::string whole_text(const InputFile& file, const CheckKept& check_kept) {
  GzipReader reader(file);
  std::string text;
  // One byte more, so that a plain file fits and its end is found without more room.
  std::size_t room =
      std::max<std::size_t>(packed_bytes, reader.plain() ? static_cast<std::size_t>(file.size()) + 1 : 0);
  for (std::size_t size = 0;;) {
    if (check_kept) check_kept(static_cast<std::int64_t>(room - 1));
    text.resize(room);
    while (size < room) {
      const std::size_t got = reader.next(std::span(text).subspan(size)).size();
      if (got == 0) {
        text.resize(size);
        return text;
      }
      size += got;
    }
    room *= 2;
  }
}

}  // namespace terrace::io
