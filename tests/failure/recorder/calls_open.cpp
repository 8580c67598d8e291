// Opening, duplicating and closing files.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "tests/failure/recorder/recorder.hpp"

using recorder::Event;
using recorder::next;
using recorder::Recorder;

namespace {

using Open = int(const char*, int, ...);
using OpenAt = int(int, const char*, int, ...);

/// @param perform opens the file and returns its descriptor, or -1
template <class Perform>
int record_open(const char* call, int folder, const char* path, int flags, Perform perform) {
  Recorder& recorder = Recorder::instance();
  if (!recorder.on()) return perform();
  auto lock = recorder.lock();
  const auto inside = recorder.inside(folder, path, !(flags & O_NOFOLLOW));
  if (!inside) {
    lock.unlock();
    return perform();
  }
  struct stat status;
  const bool existed = ::fstatat(folder, path, &status, 0) == 0;
  recorder.before();
  const int descriptor = perform();
  if (descriptor < 0) return descriptor;
  const bool temporary = (flags & O_TMPFILE) == O_TMPFILE;
  const auto& file = recorder.opened(descriptor, flags);
  Event event(temporary ? "unsupported" : "open", call);
  event.text("path", *inside).number("file", file.number).number("created", (flags & O_CREAT) && !existed);
  event.number("truncated", existed && (flags & O_TRUNC));
  event.harmless(existed && !temporary && !(flags & O_TRUNC));
  recorder.record(event.number("direct", (flags & O_DIRECT) != 0));
  return descriptor;
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

int flags_of(const char* mode) {
  const bool both = std::string_view(mode).find('+') != std::string_view::npos;
  if (*mode == 'w') return (both ? O_RDWR : O_WRONLY) | O_CREAT | O_TRUNC;
  if (*mode == 'a') return (both ? O_RDWR : O_WRONLY) | O_CREAT | O_APPEND;
  return both ? O_RDWR : O_RDONLY;
}

FILE* record_fopen(const char* call, const char* path, const char* mode) {
  auto* const real = next<FILE*(const char*, const char*)>(call);
  FILE* stream = nullptr;
  record_open(call, AT_FDCWD, path, flags_of(mode), [&] {
    stream = real(path, mode);
    return stream ? ::fileno(stream) : -1;
  });
  return stream;
}

/// Temporary names: known only once the file is there.
template <class Perform>
int record_temporary(const char* call, char* path, Perform perform) {
  Recorder& recorder = Recorder::instance();
  if (!recorder.on()) return perform();
  auto lock = recorder.lock();
  if (recorder.inside(AT_FDCWD, path, false)) recorder.before();
  const int descriptor = perform();
  const auto inside = descriptor < 0 ? std::nullopt : recorder.inside(AT_FDCWD, path, false);
  if (!inside) return descriptor;
  const auto& file = recorder.opened(descriptor, O_RDWR);
  Event event("open", call);
  event.text("path", *inside).number("file", file.number).number("created", 1).number("truncated", 0);
  recorder.record(event);
  return descriptor;
}

template <class Perform>
int record_close(const char* call, int descriptor, Perform perform) {
  Recorder& recorder = Recorder::instance();
  if (!recorder.on()) return perform();
  auto lock = recorder.lock();
  const auto* file = recorder.file(descriptor);
  if (!file) {
    lock.unlock();
    return perform();
  }
  const auto number = file->number;
  recorder.before();
  const int result = perform();
  recorder.closed(descriptor);
  recorder.record(Event("close", call).number("file", number).harmless());
  return result;
}

template <class Perform>
int record_duplicate(int descriptor, Perform perform) {
  Recorder& recorder = Recorder::instance();
  if (!recorder.on()) return perform();
  auto lock = recorder.lock();
  const int copy = perform();
  if (copy >= 0) recorder.duplicated(descriptor, copy);
  return copy;
}

int record_fcntl(const char* call, int descriptor, int command, void* argument) {
  auto* const real = next<int(int, int, ...)>(call);
  if (command != F_DUPFD && command != F_DUPFD_CLOEXEC) return real(descriptor, command, argument);
  return record_duplicate(descriptor, [&] { return real(descriptor, command, argument); });
}

void* record_mmap(const char* call, void* address, size_t length, int protection, int flags, int fd, off_t offset) {
  auto* const real = next<decltype(::mmap)>(call);
  Recorder& recorder = Recorder::instance();
  if (fd >= 0 && recorder.on() && (protection & PROT_WRITE) && (flags & MAP_SHARED)) {
    auto lock = recorder.lock();
    if (const auto* file = recorder.file(fd))
      recorder.record(Event("unsupported", call).number("file", file->number));
  }
  return real(address, length, protection, flags, fd, offset);
}

}  // namespace

#define RECORD_OPEN(NAME)                                                                      \
  int NAME(const char* path, int flags, ...) {                                                 \
    static auto* const real = next<Open>(#NAME);                                               \
    va_list arguments;                                                                         \
    va_start(arguments, flags);                                                                \
    const mode_t mode = mode_of(flags, arguments);                                             \
    va_end(arguments);                                                                         \
    return record_open(#NAME, AT_FDCWD, path, flags, [&] { return real(path, flags, mode); }); \
  }
#define RECORD_OPEN_AT(NAME)                                                                         \
  int NAME(int folder, const char* path, int flags, ...) {                                           \
    static auto* const real = next<OpenAt>(#NAME);                                                   \
    va_list arguments;                                                                               \
    va_start(arguments, flags);                                                                      \
    const mode_t mode = mode_of(flags, arguments);                                                   \
    va_end(arguments);                                                                               \
    return record_open(#NAME, folder, path, flags, [&] { return real(folder, path, flags, mode); }); \
  }

extern "C" {
RECORD_OPEN(open)
RECORD_OPEN(open64)
RECORD_OPEN_AT(openat)
RECORD_OPEN_AT(openat64)

// The C library's checking headers replace open() without a mode by this.
int __open_2(const char* path, int flags) { return open(path, flags); }
int __open64_2(const char* path, int flags) { return open(path, flags); }
int __openat_2(int folder, const char* path, int flags) { return openat(folder, path, flags); }
int __openat64_2(int folder, const char* path, int flags) { return openat(folder, path, flags); }
int creat(const char* path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char* path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

FILE* fopen(const char* path, const char* mode) { return record_fopen("fopen", path, mode); }
FILE* fopen64(const char* path, const char* mode) { return record_fopen("fopen64", path, mode); }

int mkstemp(char* path) {
  static auto* const real = next<int(char*)>("mkstemp");
  return record_temporary("mkstemp", path, [&] { return real(path); });
}
int mkostemp(char* path, int flags) {
  static auto* const real = next<int(char*, int)>("mkostemp");
  return record_temporary("mkostemp", path, [&] { return real(path, flags); });
}

int close(int fd) {
  static auto* const real = next<int(int)>("close");
  return record_close("close", fd, [&] { return real(fd); });
}
int fclose(FILE* stream) {
  static auto* const real = next<int(FILE*)>("fclose");
  return record_close("fclose", ::fileno(stream), [&] { return real(stream); });
}

int dup(int fd) noexcept {
  static auto* const real = next<int(int)>("dup");
  return record_duplicate(fd, [&] { return real(fd); });
}
int dup2(int fd, int copy) noexcept {
  static auto* const real = next<int(int, int)>("dup2");
  return record_duplicate(fd, [&] { return real(fd, copy); });
}
int dup3(int fd, int copy, int flags) noexcept {
  static auto* const real = next<int(int, int, int)>("dup3");
  return record_duplicate(fd, [&] { return real(fd, copy, flags); });
}
int fcntl(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  return record_fcntl("fcntl", fd, command, argument);
}
int fcntl64(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  return record_fcntl("fcntl64", fd, command, argument);
}

void* mmap(void* address, size_t length, int protection, int flags, int fd, off_t offset) noexcept {
  return record_mmap("mmap", address, length, protection, flags, fd, offset);
}
void* mmap64(void* address, size_t length, int protection, int flags, int fd, off64_t offset) noexcept {
  return record_mmap("mmap64", address, length, protection, flags, fd, offset);
}
}
