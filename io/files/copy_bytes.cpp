#include "io/files/copy_bytes.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include <span>
#include <vector>

#include "io/files/durable.hpp"
#include "io/files/tile_checksums.hpp"

namespace terrace::io {
namespace {

constexpr std::int64_t shared_block = 4096;                     // of file systems that share bytes
constexpr std::int64_t begun_at_once = std::int64_t{16} << 20;  // bytes that the system is told to write

}  // namespace

std::int64_t share_bytes(const FilePlace& from, const FilePlace& to, std::int64_t bytes) {
  const std::int64_t whole = bytes / shared_block * shared_block;
  if (whole == 0 || from.offset % shared_block != 0 || to.offset % shared_block != 0) return 0;
  file_clone_range range{};
  range.src_fd = from.descriptor;
  range.src_offset = static_cast<std::uint64_t>(from.offset);
  range.src_length = static_cast<std::uint64_t>(whole);
  range.dest_offset = static_cast<std::uint64_t>(to.offset);
  return ::ioctl(to.descriptor, FICLONERANGE, &range) == 0 ? whole : 0;
}

std::vector<std::uint64_t> copy_tiles(const FilePlace& from, const FilePlace& to, const TileGrid& grid,
                                      std::int64_t element_size, std::int64_t first, std::int64_t last,
                                      const std::function<void(std::int64_t)>& progress) {
  std::int64_t begin = 0, end = 0;  // bytes that have been written without a gap, and are not begun
  const auto begin_writing = [&] {
    // The sync reports failures.
    if (end > begin) sync_file_range(to.descriptor, to.offset + begin, end - begin, SYNC_FILE_RANGE_WRITE);
    begin = end;
  };
  auto sums =
      checksums_of_tiles(grid, element_size, first, last, [&](std::int64_t offset, std::span<std::byte> piece) {
        read_fully(from.descriptor, piece, from.offset + offset, from.path);
        write_fully(to.descriptor, piece, to.offset + offset, to.path);
        if (offset != end) {
          begin_writing();
          begin = offset;
        }
        end = offset + std::ssize(piece);
        if (end - begin >= begun_at_once) begin_writing();
        progress(std::ssize(piece));
      });
  begin_writing();
  return sums;
}

void copy_bytes(const FilePlace& from, const FilePlace& to, std::int64_t bytes) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(bytes));
  read_fully(from.descriptor, buffer, from.offset, from.path);
  write_fully(to.descriptor, buffer, to.offset, to.path);
}

}  // namespace terrace::io
