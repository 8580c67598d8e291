// Making, renaming and removing names.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "tests/failure/recorder/recorder.hpp"

using recorder::Event;
using recorder::next;
using recorder::Recorder;

namespace {

template <class Perform>
int record_name(const char* kind, const char* call, int folder, const char* path, Perform perform) {
  Recorder& recorder = Recorder::instance();
  if (!recorder.on()) return perform();
  auto lock = recorder.lock();
  const auto inside = recorder.inside(folder, path, false);
  if (inside) recorder.before();
  const int result = perform();
  if (inside && result == 0) recorder.record(Event(kind, call).text("path", *inside));
  return result;
}

/// Two names, at least one of them in the folder; one alone is more than the model knows.
template <class Perform>
int record_names(const char* kind, const char* call, int folder, const char* path, int to_folder, const char* to,
                 Perform perform) {
  Recorder& recorder = Recorder::instance();
  if (!recorder.on()) return perform();
  auto lock = recorder.lock();
  const auto from = recorder.inside(folder, path, false), target = recorder.inside(to_folder, to, false);
  if (from || target) recorder.before();
  const int result = perform();
  if (result != 0 || (!from && !target)) return result;
  Event event(from && target ? kind : "unsupported", call);
  recorder.record(event.text("path", from.value_or("(outside)")).text("to", target.value_or("(outside)")));
  return result;
}

bool is_folder(const char* path) {
  struct stat status;
  const int error = errno;
  const bool answer = ::lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
  errno = error;
  return answer;
}

}  // namespace

extern "C" {
int mkdir(const char* path, mode_t mode) noexcept {
  static auto* const real = next<int(const char*, mode_t)>("mkdir");
  return record_name("mkdir", "mkdir", AT_FDCWD, path, [&] { return real(path, mode); });
}
int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  static auto* const real = next<int(int, const char*, mode_t)>("mkdirat");
  return record_name("mkdir", "mkdirat", folder, path, [&] { return real(folder, path, mode); });
}
char* mkdtemp(char* path) noexcept {
  static auto* const real = next<char*(char*)>("mkdtemp");
  Recorder& recorder = Recorder::instance();
  if (!recorder.on()) return real(path);
  auto lock = recorder.lock();
  char* const made = real(path);
  const auto inside = made ? recorder.inside(AT_FDCWD, made, false) : std::nullopt;
  if (inside) recorder.record(Event("mkdir", "mkdtemp").text("path", *inside));
  return made;
}

int unlink(const char* path) noexcept {
  static auto* const real = next<int(const char*)>("unlink");
  return record_name("unlink", "unlink", AT_FDCWD, path, [&] { return real(path); });
}
int unlinkat(int folder, const char* path, int flags) noexcept {
  static auto* const real = next<int(int, const char*, int)>("unlinkat");
  return record_name("unlink", "unlinkat", folder, path, [&] { return real(folder, path, flags); });
}
int rmdir(const char* path) noexcept {
  static auto* const real = next<int(const char*)>("rmdir");
  return record_name("unlink", "rmdir", AT_FDCWD, path, [&] { return real(path); });
}
int remove(const char* path) noexcept { return is_folder(path) ? rmdir(path) : unlink(path); }

int rename(const char* path, const char* to) noexcept {
  static auto* const real = next<int(const char*, const char*)>("rename");
  return record_names("rename", "rename", AT_FDCWD, path, AT_FDCWD, to, [&] { return real(path, to); });
}
int renameat(int folder, const char* path, int to_folder, const char* to) noexcept {
  static auto* const real = next<int(int, const char*, int, const char*)>("renameat");
  return record_names("rename", "renameat", folder, path, to_folder, to,
                      [&] { return real(folder, path, to_folder, to); });
}
int renameat2(int folder, const char* path, int to_folder, const char* to, unsigned flags) noexcept {
  static auto* const real = next<int(int, const char*, int, const char*, unsigned)>("renameat2");
  const bool plain = (flags & ~static_cast<unsigned>(RENAME_NOREPLACE)) == 0;
  return record_names(plain ? "rename" : "unsupported", "renameat2", folder, path, to_folder, to,
                      [&] { return real(folder, path, to_folder, to, flags); });
}

int link(const char* path, const char* to) noexcept {
  static auto* const real = next<int(const char*, const char*)>("link");
  return record_names("link", "link", AT_FDCWD, path, AT_FDCWD, to, [&] { return real(path, to); });
}
int linkat(int folder, const char* path, int to_folder, const char* to, int flags) noexcept {
  static auto* const real = next<int(int, const char*, int, const char*, int)>("linkat");
  return record_names(flags == 0 ? "link" : "unsupported", "linkat", folder, path, to_folder, to,
                      [&] { return real(folder, path, to_folder, to, flags); });
}
int symlink(const char* target, const char* path) noexcept {
  static auto* const real = next<int(const char*, const char*)>("symlink");
  return record_name("unsupported", "symlink", AT_FDCWD, path, [&] { return real(target, path); });
}
int symlinkat(const char* target, int folder, const char* path) noexcept {
  static auto* const real = next<int(const char*, int, const char*)>("symlinkat");
  return record_name("unsupported", "symlinkat", folder, path, [&] { return real(target, folder, path); });
}
}
