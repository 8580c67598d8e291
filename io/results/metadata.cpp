// The copy of a result file's bytes outside of its large extents.
//
// Layout of the copy, all numbers 64-bit little-endian as the host writes them: a mark, the length of the result
// file, the number of ranges, offset and bytes of each, the ranges' bytes one after another, and the XXH3 checksum of
// all before it.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/files/checksum.hpp"
#include "io/files/durable.hpp"
#include "io/results/file.hpp"

namespace terrace::io {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t mark = 0x3154454d52524554;  // "TERRMET1"
constexpr std::size_t word = sizeof(std::uint64_t);

std::vector<FileExtent> outside(std::vector<FileExtent> extents, std::int64_t length, const fs::path& path) {
  std::sort(extents.begin(), extents.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  std::vector<FileExtent> ranges;
  std::int64_t at = 0;
  for (const FileExtent& extent : extents) {
    if (extent.offset < at || extent.bytes < 0 || extent.bytes > length - extent.offset) {
      throw IoError(path, "bytes [" + std::to_string(extent.offset) + ", " +
                              std::to_string(extent.offset + extent.bytes) +
                              ") of a dataset overlap another's or lie outside of the file");
    }
    if (extent.offset > at) ranges.push_back({at, extent.offset - at});
    at = extent.offset + extent.bytes;
  }
  if (at < length) ranges.push_back({at, length - at});
  return ranges;
}

void append(std::vector<std::byte>& bytes, std::uint64_t value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + word);
}

/// Takes words and ranges from the front of a copy's bytes.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const fs::path& path) : bytes_(bytes), path_(path) {}

  std::span<const std::byte> take(std::uint64_t count) {
    if (count > bytes_.size()) throw damaged();
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  std::uint64_t take_word() {
    std::uint64_t value;
    std::memcpy(&value, take(word).data(), word);
    return value;
  }
  IoError damaged() const {
    return {path_.string(), "the copy of the result's metadata is damaged; start over with --fresh=all"};
  }

 private:
  std::span<const std::byte> bytes_;
  const fs::path& path_;
};

/// The bytes after the mark of a copy. @throws IoError if the mark or the checksum is wrong
Reader checked_content(std::span<const std::byte> bytes, const fs::path& path) {
  Reader all(bytes, path);
  if (bytes.size() < word) throw all.damaged();
  const auto content = all.take(bytes.size() - word);
  if (all.take_word() != checksum(content)) throw all.damaged();
  Reader checked(content, path);
  if (checked.take_word() != mark) throw checked.damaged();
  return checked;
}

}  // namespace

void save_metadata(const Entry& result_file, const std::vector<FileExtent>& extents, const Entry& copy) {
  const fs::path& result = result_file.path();
  const Descriptor file = open_file(result_file, O_RDONLY);
  const std::int64_t length = size_of_file(file, result);
  const std::vector<FileExtent> ranges = outside(extents, length, result);
  std::vector<std::byte> bytes;
  append(bytes, mark);
  append(bytes, static_cast<std::uint64_t>(length));
  append(bytes, ranges.size());
  for (const FileExtent& range : ranges) {
    append(bytes, static_cast<std::uint64_t>(range.offset));
    append(bytes, static_cast<std::uint64_t>(range.bytes));
  }
  for (const FileExtent& range : ranges) {
    const std::size_t at = bytes.size();
    bytes.resize(at + static_cast<std::size_t>(range.bytes));
    read_fully(file.get(), std::span(bytes).subspan(at), range.offset, result);
  }
  append(bytes, checksum(bytes));
  write_file_durably(copy, bytes);
}

void check_metadata(const Entry& copy) {
  if (!status_of(copy)) {
    throw IoError(copy.path().string(), "is gone, and the run needs it; start over with --fresh=all");
  }
  static_cast<void>(checked_content(read_file(copy), copy.path()));
}

void restore_metadata(const Entry& result_file, const Entry& copy) {
  const fs::path& result = result_file.path();
  const std::vector<std::byte> bytes = read_file(copy);
  Reader content = checked_content(bytes, copy.path());
  const auto length = static_cast<std::int64_t>(content.take_word());
  const std::uint64_t count = content.take_word();
  std::vector<FileExtent> ranges;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto offset = static_cast<std::int64_t>(content.take_word());
    ranges.push_back({offset, static_cast<std::int64_t>(content.take_word())});
  }
  const Descriptor file = open_file(result_file, O_RDWR);
  const std::int64_t found = size_of_file(file, result);
  if (found < length) {
    throw IoError(result, "is " + std::to_string(found) + " bytes long and was " + std::to_string(length) +
                              "; start the run anew with --fresh=all");
  }
  for (const FileExtent& range : ranges) {
    write_fully(file.get(), content.take(static_cast<std::uint64_t>(range.bytes)), range.offset, result);
  }
  if (ftruncate(file.get(), length) != 0) throw system_error(result, "cannot be cut to its old length", errno);
  if (fsync(file.get()) != 0) throw system_error(result, "its data cannot be made durable", errno);
}

}  // namespace terrace::io
