// Writing, resizing and syncing files.
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "tests/failure/recorder/recorder.hpp"

using recorder::Event;
using recorder::next;
using recorder::OpenFile;
using recorder::Recorder;

namespace {

/// Stands for "where the descriptor is".
constexpr off_t current = -1;

Event write_event(const char* call, const OpenFile& file, off_t offset) {
  Event event("write", call);
  return event.number("file", file.number).number("offset", offset).number("synced", (file.flags & O_DSYNC) != 0);
}

off_t position(int fd) {
  const int error = errno;
  const off_t at = ::lseek(fd, 0, SEEK_CUR);
  errno = error;
  return at;
}

/// @param perform writes and returns the number of bytes written, or -1
template <class Perform>
ssize_t record_write(const char* call, int fd, off_t offset, const iovec* buffers, int count, Perform perform) {
  Recorder& recorder = Recorder::instance();
  if (!recorder.on()) return perform();
  auto lock = recorder.lock();
  const OpenFile* file = recorder.file(fd);
  if (!file) {
    lock.unlock();
    return perform();
  }
  if (recorder.write_fails()) return errno = ENOSPC, -1;
  if ((file->flags & O_DIRECT) && recorder.direct_write_fails()) return errno = EIO, -1;
  recorder.before();
  const bool moves = offset == current;
  if (moves) offset = position(fd);
  const ssize_t written = perform();
  if (written <= 0) return written;
  if (file->flags & O_APPEND) {
    struct stat status;
    if (::fstat(fd, &status) != 0) recorder::give_up("cannot tell where a file was appended to");
    offset = status.st_size - written;
  }
  recorder.record(write_event(call, *file, offset), buffers, count, static_cast<std::size_t>(written));
  return written;
}

template <class Perform>
ssize_t record_write(const char* call, int fd, off_t offset, const void* bytes, size_t count, Perform perform) {
  const iovec buffer{const_cast<void*>(bytes), count};
  return record_write(call, fd, offset, &buffer, 1, perform);
}

/// A copy inside the kernel: the written bytes are read back.
template <class Perform>
ssize_t record_copy(const char* call, int fd, off_t offset, Perform perform) {
  std::vector<char> bytes;
  iovec buffer{};
  return record_write(call, fd, offset, &buffer, 1, [&]() -> ssize_t {
    const off_t begin = offset == current ? position(fd) : offset;
    const ssize_t written = perform();
    if (written <= 0 || begin < 0 || !Recorder::instance().on()) return written;
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    static auto* const real_open = next<int(const char*, int, ...)>("open");
    static auto* const real_close = next<int(int)>("close");
    bytes.resize(static_cast<std::size_t>(written));
    const int reader = real_open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (reader < 0) return written;  // no file that can be opened again (a socket): not recorded either
    if (::pread(reader, bytes.data(), bytes.size(), begin) != written) bytes.clear();
    real_close(reader);
    buffer = {bytes.data(), bytes.size()};
    return written;
  });
}

/// @param perform returns 0 when it has done the change of `event`
template <class Perform>
int record_change(int fd, Perform perform, Event (*event)(const OpenFile&, const char*, off_t, off_t),
                  const char* call, off_t first, off_t second, bool takes_space) {
  Recorder& recorder = Recorder::instance();
  if (!recorder.on()) return perform();
  auto lock = recorder.lock();
  const OpenFile* file = recorder.file(fd);
  if (!file) {
    lock.unlock();
    return perform();
  }
  if (takes_space && recorder.write_fails()) return errno = ENOSPC, -1;
  recorder.before();
  const int result = perform();
  if (result == 0) recorder.record(event(*file, call, first, second));
  return result;
}

Event resize_event(const OpenFile& file, const char* call, off_t size, off_t) {
  return Event("resize", call).number("file", file.number).number("size", size);
}

Event reserve_event(const OpenFile& file, const char* call, off_t offset, off_t length) {
  return Event("reserve", call).number("file", file.number).number("size", offset + length);
}

/// Reserves space and leaves the size unchanged, or does something that the model does not support.
Event other_fallocate_event(const OpenFile& file, const char* call, off_t mode, off_t) {
  return Event(mode == FALLOC_FL_KEEP_SIZE ? "none" : "unsupported", call).number("file", file.number);
}

int record_ftruncate(const char* call, int fd, off_t size) {
  auto* const real = next<int(int, off_t)>(call);
  return record_change(
      fd, [&] { return real(fd, size); }, resize_event, call, size, 0, false);
}

int record_fallocate(const char* call, int fd, int mode, off_t offset, off_t length) {
  auto* const real = next<int(int, int, off_t, off_t)>(call);
  const auto perform = [&] { return real(fd, mode, offset, length); };
  if (mode != 0) return record_change(fd, perform, other_fallocate_event, call, mode, 0, true);
  return record_change(fd, perform, reserve_event, call, offset, length, true);
}

int record_posix_fallocate(const char* call, int fd, off_t offset, off_t length) {
  auto* const real = next<int(int, off_t, off_t)>(call);
  const auto perform = [&] { return real(fd, offset, length); };
  const int result = record_change(fd, perform, reserve_event, call, offset, length, true);
  return result == -1 ? ENOSPC : result;
}

int record_truncate(const char* call, const char* path, off_t size) {
  auto* const real = next<int(const char*, off_t)>(call);
  Recorder& recorder = Recorder::instance();
  if (!recorder.on()) return real(path, size);
  auto lock = recorder.lock();
  const auto inside = recorder.inside(AT_FDCWD, path, true);
  if (inside) recorder.before();
  const int result = real(path, size);
  if (inside && result == 0) recorder.record(Event("resize", call).text("path", *inside).number("size", size));
  return result;
}

int record_sync(const char* call, int fd) {
  auto* const real = next<int(int)>(call);
  Recorder& recorder = Recorder::instance();
  if (!recorder.on()) return real(fd);
  auto lock = recorder.lock();
  const OpenFile* file = recorder.file(fd);
  if (!file) {
    lock.unlock();
    return real(fd);
  }
  const bool fails = recorder.sync_fails();
  recorder.before();
  const int result = fails ? -1 : real(fd);
  if (fails) errno = EIO;
  recorder.record(Event(result == 0 ? "sync" : "sync_failed", call).number("file", file->number));
  return result;
}

/// Syncs the whole file system.
void record_sync_all(const char* call) {
  Recorder& recorder = Recorder::instance();
  if (!recorder.on()) return;
  auto lock = recorder.lock();
  recorder.before();
  recorder.record(Event("sync_all", call));
}

}  // namespace

extern "C" {
ssize_t write(int fd, const void* bytes, size_t count) {
  static auto* const real = next<decltype(::write)>("write");
  return record_write("write", fd, current, bytes, count, [&] { return real(fd, bytes, count); });
}

#define RECORD_PWRITE(NAME)                                                                               \
  ssize_t NAME(int fd, const void* bytes, size_t count, off_t offset) {                                   \
    static auto* const real = next<ssize_t(int, const void*, size_t, off_t)>(#NAME);                      \
    return record_write(#NAME, fd, offset, bytes, count, [&] { return real(fd, bytes, count, offset); }); \
  }
RECORD_PWRITE(pwrite)
RECORD_PWRITE(pwrite64)

ssize_t writev(int fd, const iovec* buffers, int count) {
  static auto* const real = next<ssize_t(int, const iovec*, int)>("writev");
  return record_write("writev", fd, current, buffers, count, [&] { return real(fd, buffers, count); });
}

#define RECORD_PWRITEV(NAME)                                                                                  \
  ssize_t NAME(int fd, const iovec* buffers, int count, off_t offset) {                                       \
    static auto* const real = next<ssize_t(int, const iovec*, int, off_t)>(#NAME);                            \
    return record_write(#NAME, fd, offset, buffers, count, [&] { return real(fd, buffers, count, offset); }); \
  }
RECORD_PWRITEV(pwritev)
RECORD_PWRITEV(pwritev64)

#define RECORD_PWRITEV2(NAME)                                                                                        \
  ssize_t NAME(int fd, const iovec* buffers, int count, off_t offset, int flags) {                                   \
    static auto* const real = next<ssize_t(int, const iovec*, int, off_t, int)>(#NAME);                              \
    return record_write(#NAME, fd, offset, buffers, count, [&] { return real(fd, buffers, count, offset, flags); }); \
  }
RECORD_PWRITEV2(pwritev2)
RECORD_PWRITEV2(pwritev64v2)

#define RECORD_SENDFILE(NAME)                                                              \
  ssize_t NAME(int out, int in, off_t* offset, size_t count) noexcept {                    \
    static auto* const real = next<ssize_t(int, int, off_t*, size_t)>(#NAME);              \
    return record_copy(#NAME, out, current, [&] { return real(out, in, offset, count); }); \
  }
RECORD_SENDFILE(sendfile)
RECORD_SENDFILE(sendfile64)

ssize_t copy_file_range(int in, off64_t* in_offset, int out, off64_t* out_offset, size_t count, unsigned flags) {
  static auto* const real = next<ssize_t(int, off64_t*, int, off64_t*, size_t, unsigned)>("copy_file_range");
  return record_copy("copy_file_range", out, out_offset ? *out_offset : current,
                     [&] { return real(in, in_offset, out, out_offset, count, flags); });
}

int ftruncate(int fd, off_t size) noexcept { return record_ftruncate("ftruncate", fd, size); }
int ftruncate64(int fd, off64_t size) noexcept { return record_ftruncate("ftruncate64", fd, size); }
int truncate(const char* path, off_t size) noexcept { return record_truncate("truncate", path, size); }
int truncate64(const char* path, off64_t size) noexcept { return record_truncate("truncate64", path, size); }
int fallocate(int fd, int mode, off_t offset, off_t length) {
  return record_fallocate("fallocate", fd, mode, offset, length);
}
int fallocate64(int fd, int mode, off64_t offset, off64_t length) {
  return record_fallocate("fallocate64", fd, mode, offset, length);
}
int posix_fallocate(int fd, off_t offset, off_t length) {
  return record_posix_fallocate("posix_fallocate", fd, offset, length);
}
int posix_fallocate64(int fd, off64_t offset, off64_t length) {
  return record_posix_fallocate("posix_fallocate64", fd, offset, length);
}

int fsync(int fd) { return record_sync("fsync", fd); }
int fdatasync(int fd) { return record_sync("fdatasync", fd); }
void sync() noexcept {
  static auto* const real = next<void()>("sync");
  real();
  record_sync_all("sync");
}
int syncfs(int fd) noexcept {
  static auto* const real = next<int(int)>("syncfs");
  const int result = real(fd);
  if (result == 0) record_sync_all("syncfs");
  return result;
}
}
