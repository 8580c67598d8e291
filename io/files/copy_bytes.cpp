#include "io/files/copy_bytes.hpp"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "io/files/durable.hpp"

namespace terrace::io {
namespace {

constexpr std::int64_t shared_block = 4096;                      // of file systems that share bytes
constexpr std::int64_t copied_at_once = std::int64_t{32} << 20;  // bytes between two calls of `progress`

/// One call of copy_file_range(2). @return bytes copied; 0 if the system cannot copy between these files
std::int64_t copy_in_system(const FilePlace& from, const FilePlace& to, std::int64_t bytes) {
  loff_t in = from.offset, out = to.offset;
  const ssize_t copied =
      ::copy_file_range(from.descriptor, &in, to.descriptor, &out, static_cast<std::size_t>(bytes), 0);
  if (copied >= 0) return copied;
  if (errno == EXDEV || errno == ENOSYS || errno == EOPNOTSUPP || errno == EINVAL || errno == EINTR) return 0;
  throw system_error(to.path.string(), "cannot be written", errno);
}

void copy_through_memory(const FilePlace& from, const FilePlace& to, std::int64_t bytes) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(bytes));
  read_fully(from.descriptor, buffer, from.offset, from.path);
  write_fully(to.descriptor, buffer, to.offset, to.path);
}

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

void copy_bytes(FilePlace from, FilePlace to, std::int64_t bytes, const std::function<void(std::int64_t)>& progress) {
  while (bytes > 0) {
    const std::int64_t next = std::min(bytes, copied_at_once);
    std::int64_t copied = copy_in_system(from, to, next);
    if (copied == 0) {
      copy_through_memory(from, to, next);
      copied = next;
    }
    from.offset += copied;
    to.offset += copied;
    bytes -= copied;
    progress(copied);
  }
}

}  // namespace terrace::io
