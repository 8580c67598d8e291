#include "io/files/durable.hpp"

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

/// The largest file that the process may write, in bytes; nullopt if there is no limit.
std::optional<std::int64_t> file_size_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<std::int64_t>(limit.rlim_cur);
}

/// Advice to the user if there is no room for a write; else empty.
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

/// Leaves of the pieces what comes after their first `moved` bytes.
std::span<iovec> after(std::span<iovec> pieces, std::size_t moved) {
  for (; !pieces.empty() && moved >= pieces.front().iov_len; pieces = pieces.subspan(1)) {
    moved -= pieces.front().iov_len;
  }
  if (moved > 0) {
    pieces.front().iov_base = static_cast<std::byte*>(pieces.front().iov_base) + moved;
    pieces.front().iov_len -= moved;
  }
  return pieces;
}

int vector_count(std::span<iovec> pieces) { return static_cast<int>(std::min<std::size_t>(pieces.size(), IOV_MAX)); }

IoError file_ends(const fs::path& path, std::int64_t offset, std::size_t missing) {
  return {at_byte(path, offset), "the file ends here, " + std::to_string(missing) + " bytes are missing"};
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

void sync_folders_of(const Entry& from, const Entry& to) {
  sync_folder_of(to);
  if (from.path().parent_path() != to.path().parent_path()) sync_folder_of(from);
}

}  // namespace

std::string system_words(int error_number) {
  return std::generic_category().message(error_number) + advice_on(error_number);
}

IoError system_error(const std::string& where, const std::string& what, int error_number) {
  return {where, what + ": " + system_words(error_number)};
}

void read_fully(int descriptor, std::span<std::byte> bytes, std::int64_t offset, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t got = pread(descriptor, bytes.data(), std::min(bytes.size(), largest_transfer), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(at_byte(path, offset), "cannot be read", errno);
    if (got == 0) throw file_ends(path, offset, bytes.size());
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += got;
  }
}

void read_fully(int descriptor, std::span<iovec> pieces, std::int64_t offset, const fs::path& path) {
  while (!pieces.empty()) {
    const ssize_t got = preadv(descriptor, pieces.data(), vector_count(pieces), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(at_byte(path, offset), "cannot be read", errno);
    if (got == 0) {
      std::size_t missing = 0;
      for (const iovec& piece : pieces) missing += piece.iov_len;
      throw file_ends(path, offset, missing);
    }
    offset += got;
    pieces = after(pieces, static_cast<std::size_t>(got));
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
    const ssize_t put = pwritev(descriptor, pieces.data(), vector_count(pieces), offset);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw system_error(at_byte(path, offset), "cannot be written", errno);
    if (put == 0) throw IoError(at_byte(path, offset), "nothing more can be written");
    offset += put;
    pieces = after(pieces, static_cast<std::size_t>(put));
  }
}

void write_file_durably(const Entry& file, std::span<const std::byte> bytes) {
  const Entry temporary = file.beside(".new");
  remove_file(temporary);
  Descriptor made = open_file(temporary, O_WRONLY | O_CREAT | O_EXCL);
  write_fully(made.get(), bytes, 0, temporary.path());
  sync_descriptor(made.get(), temporary.path());
  made.close(temporary.path());
  rename_durably(temporary, file);
}

void write_file_durably(const Entry& file, std::string_view text) {
  write_file_durably(file, std::as_bytes(std::span(text.data(), text.size())));
}

std::vector<std::byte> read_file(const Entry& file) {
  const Descriptor opened = open_file(file, O_RDONLY);
  std::vector<std::byte> bytes(static_cast<std::size_t>(size_of_file(opened, file.path())));
  read_fully(opened.get(), bytes, 0, file.path());
  return bytes;
}

std::int64_t size_of_file(const Descriptor& file, const fs::path& path) {
  struct stat status;
  if (fstat(file.get(), &status) != 0) throw system_error(path, "its size is not known", errno);
  return status.st_size;
}

void fsync_file(const Entry& file) { sync_descriptor(open_file(file, O_RDONLY).get(), file.path()); }

void fsync_folder(const fs::path& folder) {
  const fs::path named = fs::absolute(folder.empty() ? fs::path(".") : folder).lexically_normal();
  sync_descriptor(open_file(named, O_RDONLY | O_DIRECTORY).get(), named);
}

std::vector<fs::path> make_folders(const fs::path& folder, mode_t mode) {
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
    if (mkdir(at.c_str(), at == whole ? mode : 0777) == 0) made.push_back(at);
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

void rename_durably(const Entry& from, const Entry& to) {
  if (renameat(from.folder(), from.name(), to.folder(), to.name()) != 0) {
    throw system_error(from.path(), "cannot be renamed to " + to.path().string(), errno);
  }
  sync_folders_of(from, to);
}

bool rename_to_new(const Entry& from, const Entry& to) {
  if (renameat2(from.folder(), from.name(), to.folder(), to.name(), RENAME_NOREPLACE) != 0) {
    if (errno == EEXIST) return false;
    if (errno != EINVAL && errno != ENOSYS) {
      throw system_error(from.path(), "cannot be renamed to " + to.path().string(), errno);
    }
    // This file system has no RENAME_NOREPLACE; a file that appears between these two lines is replaced.
    if (status_of(to)) return false;
    rename_durably(from, to);
    return true;
  }
  sync_folders_of(from, to);
  return true;
}

std::optional<FileState> file_state(const Entry& file) {
  struct stat state;
  if (fstatat(file.folder(), file.name(), &state, file.held() ? AT_SYMLINK_NOFOLLOW : 0) != 0) return std::nullopt;
  const auto nanoseconds = [](const timespec& time) {
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
  };
  return FileState{static_cast<std::int64_t>(state.st_ino), static_cast<std::int64_t>(state.st_size),
                   nanoseconds(state.st_mtim), nanoseconds(state.st_ctim)};
}

std::int64_t free_space(const fs::path& path) {
  struct statvfs status;
  for (fs::path at = path; statvfs(at.c_str(), &status) != 0; at = folder_of(at)) {
    if (errno == ENOENT && folder_of(at) != at) continue;
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
