#include "io/durable.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <system_error>
#include <utility>

#include "pipeline/base/units.hpp"

namespace terrace::io {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest_transfer = std::size_t{1} << 30;  // a single call moves at most 2 GiB - 4 KiB

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

std::string at_byte(const fs::path& path, std::int64_t offset) {
  return path.string() + ", byte " + std::to_string(offset);
}

/// The largest file that the process may write, in bytes; nothing where there is no limit.
std::optional<std::int64_t> file_size_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<std::int64_t>(limit.rlim_cur);
}

/// What to do where there is no room for what is written.
std::string advice_on(int error_number) {
  const std::string again = "; the same command then goes on";
  if (error_number == ENOSPC) return "; make room" + again;
  if (error_number == EDQUOT) return "; make room in the quota" + again;
  if (error_number != EFBIG) return "";
  const std::optional<std::int64_t> limit = file_size_limit();
  if (!limit) return "; its file system has no files of that size: choose another place";
  return "; files may have at most " + format_size(static_cast<double>(*limit)) + " here: raise that (ulimit -f)" +
         again;
}

void sync_descriptor(int descriptor, const fs::path& path) {
  if (fsync(descriptor) != 0) throw system_error(path, "its data cannot be made durable", errno);
}

fs::filesystem_error no_folder(const fs::path& path, int error_number) {
  return {"cannot be made", path, std::error_code(error_number, std::generic_category())};
}

bool is_own_folder(const fs::path& path) {
  struct stat state;
  return stat(path.c_str(), &state) == 0 && S_ISDIR(state.st_mode) && state.st_uid == geteuid();
}

}  // namespace

std::string system_words(int error_number) {
  return std::generic_category().message(error_number) + advice_on(error_number);
}

IoError system_error(const std::string& where, const std::string& what, int error_number) {
  return {where, what + ": " + system_words(error_number)};
}

Descriptor::Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Descriptor::~Descriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Descriptor::close(const fs::path& path) {
  const int descriptor = std::exchange(descriptor_, -1);
  if (descriptor >= 0 && ::close(descriptor) != 0) throw system_error(path, "cannot be closed", errno);
}

Descriptor open_file(const fs::path& path, int flags) {
  Descriptor descriptor(::open(path.c_str(), flags | O_CLOEXEC, 0666));
  if (!descriptor) throw system_error(path, "cannot be opened", errno);
  return descriptor;
}

void read_fully(int descriptor, std::span<std::byte> bytes, std::int64_t offset, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t got = pread(descriptor, bytes.data(), std::min(bytes.size(), largest_transfer), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(at_byte(path, offset), "cannot be read", errno);
    if (got == 0) {
      throw IoError(at_byte(path, offset),
                    "the file ends here, " + std::to_string(bytes.size()) + " bytes are missing");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += got;
  }
}

void write_fully(int descriptor, std::span<const std::byte> bytes, std::int64_t offset, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t put = pwrite(descriptor, bytes.data(), std::min(bytes.size(), largest_transfer), offset);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw system_error(at_byte(path, offset), "cannot be written", errno);
    if (put == 0) throw IoError(at_byte(path, offset), "nothing more can be written");
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += put;
  }
}

void write_fully(int descriptor, std::span<iovec> pieces, std::int64_t offset, const fs::path& path) {
  while (!pieces.empty()) {
    const auto count = static_cast<int>(std::min<std::size_t>(pieces.size(), IOV_MAX));
    ssize_t put = pwritev(descriptor, pieces.data(), count, offset);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw system_error(at_byte(path, offset), "cannot be written", errno);
    if (put == 0) throw IoError(at_byte(path, offset), "nothing more can be written");
    offset += put;
    for (; !pieces.empty() && put >= static_cast<ssize_t>(pieces.front().iov_len); pieces = pieces.subspan(1)) {
      put -= static_cast<ssize_t>(pieces.front().iov_len);
    }
    if (put == 0) continue;
    pieces.front().iov_base = static_cast<std::byte*>(pieces.front().iov_base) + put;
    pieces.front().iov_len -= static_cast<std::size_t>(put);
  }
}

void write_file_durably(const fs::path& path, std::span<const std::byte> bytes) {
  fs::path temporary = path;
  temporary += ".new";
  Descriptor file = open_file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
  write_fully(file.get(), bytes, 0, temporary);
  sync_descriptor(file.get(), temporary);
  file.close(temporary);
  rename_durably(temporary, path);
}

void write_file_durably(const fs::path& path, std::string_view text) {
  write_file_durably(path, std::as_bytes(std::span(text.data(), text.size())));
}

std::vector<std::byte> read_file(const fs::path& path) {
  const Descriptor file = open_file(path, O_RDONLY);
  struct stat status;
  if (fstat(file.get(), &status) != 0) throw system_error(path, "its size is not known", errno);
  std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
  read_fully(file.get(), bytes, 0, path);
  return bytes;
}

std::vector<fs::path> folder_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  // The errors that the iterator throws as it goes on do not name the folder.
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    entries.push_back(entry->path());
  }
  if (error) throw system_error(folder, "its files cannot be listed", error.value());
  return entries;
}

void fsync_file(const fs::path& path) { sync_descriptor(open_file(path, O_RDONLY).get(), path); }

void fsync_folder(const fs::path& folder) {
  const fs::path named = fs::absolute(folder.empty() ? fs::path(".") : folder).lexically_normal();
  sync_descriptor(open_file(named, O_RDONLY | O_DIRECTORY).get(), named);
}

std::vector<fs::path> make_folders(const fs::path& folder) {
  std::vector<fs::path> made;
  const fs::path whole = fs::absolute(folder);
  fs::path at;
  for (const fs::path& part : whole) {
    at /= part;
    struct stat state;
    if (stat(at.c_str(), &state) == 0) {
      if (!S_ISDIR(state.st_mode)) throw no_folder(at, ENOTDIR);
      continue;
    }
    if (mkdir(at.c_str(), 0777) == 0) made.push_back(at);
    else if (errno != EEXIST) throw no_folder(at, errno);
  }
  for (at = whole; at.has_relative_path() && is_own_folder(at); at = at.parent_path()) {
    const bool new_name = std::find(made.begin(), made.end(), at) != made.end();
    try {
      if (new_name) fsync_folder(at);
      fsync_folder(at.parent_path());
    } catch (const IoError&) {
      // A folder that this user may not read was made, and synced, by somebody else.
      if (new_name) throw;
    }
  }
  return made;
}

void rename_durably(const fs::path& from, const fs::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    throw system_error(from, "cannot be renamed to " + to.string(), errno);
  }
  fsync_folder(folder_of(to));
  if (folder_of(from) != folder_of(to)) fsync_folder(folder_of(from));
}

bool rename_to_new(const fs::path& from, const fs::path& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) != 0) {
    if (errno == EEXIST) return false;
    if (errno != EINVAL && errno != ENOSYS) throw system_error(from, "cannot be renamed to " + to.string(), errno);
    // This file system cannot refuse by itself; what appears between these two lines is replaced.
    if (fs::exists(fs::symlink_status(to))) return false;
    rename_durably(from, to);
    return true;
  }
  fsync_folder(folder_of(to));
  if (folder_of(from) != folder_of(to)) fsync_folder(folder_of(from));
  return true;
}

std::optional<FileState> file_state(const fs::path& path) {
  struct stat state;
  if (stat(path.c_str(), &state) != 0) return std::nullopt;
  const auto nanoseconds = [](const timespec& time) {
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
  };
  return FileState{static_cast<std::int64_t>(state.st_ino), static_cast<std::int64_t>(state.st_size),
                   nanoseconds(state.st_mtim), nanoseconds(state.st_ctim)};
}

std::int64_t free_space(const fs::path& path) {
  struct statvfs status;
  if (statvfs(path.c_str(), &status) != 0 && statvfs(folder_of(path).c_str(), &status) != 0) {
    throw system_error(path, "the free space of its file system is not known", errno);
  }
  return static_cast<std::int64_t>(status.f_bavail * status.f_frsize);
}

void check_free_space(const fs::path& path, std::int64_t needed) {
  const std::int64_t free = free_space(path);
  if (needed <= free) return;
  throw IoError(path, "needs " + std::to_string(needed) + " bytes (" + format_size(static_cast<double>(needed)) +
                          ") more, but its file system has " + std::to_string(free) + " free (" +
                          format_size(static_cast<double>(free)) + "); make room or choose another place");
}

void check_file_size(const fs::path& path, std::int64_t bytes) {
  const std::optional<std::int64_t> limit = file_size_limit();
  if (!limit || bytes <= *limit) return;
  throw system_error(
      path, "is to have " + std::to_string(bytes) + " bytes (" + format_size(static_cast<double>(bytes)) + ")",
      EFBIG);
}

}  // namespace terrace::io
