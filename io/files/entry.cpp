#include "io/files/entry.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "io/files/durable.hpp"

namespace terrace::io {

namespace fs = std::filesystem;

namespace {

bool same_file(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

struct stat status_of_open(int descriptor, const fs::path& path) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) throw system_error(path, "its status is not known", errno);
  return status;
}

IoError is_a_link(const fs::path& path) {
  return {path.string(), "is a link, and a run follows none here; remove it, or name another output"};
}

}  // namespace

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

int Entry::folder() const { return folder_ ? folder_->get() : AT_FDCWD; }

Entry Entry::beside(const std::string& suffix) const {
  fs::path path = path_;
  path += suffix;
  return folder_ ? Entry(folder_, path) : Entry(path);
}

Folder Folder::open(const Entry& folder, bool follow) {
  const int flags = O_RDONLY | O_DIRECTORY | (follow ? 0 : O_NOFOLLOW);
  return {open_file(folder, flags), folder.path()};
}

struct stat Folder::status() const {
  return status_of_open(descriptor_->get(), path_);
}

bool Folder::still_there() const {
  struct stat named;
  return stat(path_.c_str(), &named) == 0 && same_file(named, status());
}

std::vector<std::string> Folder::names() const {
  const auto refuse = [this](int error_number) {
    throw system_error(path_, "its files cannot be listed", error_number);
  };
  // A descriptor of its own: reading moves the position in the folder.
  const int own = openat(descriptor_->get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (own < 0) refuse(errno);
  const auto close = [](DIR* open) { closedir(open); };
  const std::unique_ptr<DIR, decltype(close)> stream(fdopendir(own), close);
  if (!stream) {
    const int error_number = errno;
    ::close(own);
    refuse(error_number);
  }
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(stream.get());
    if (entry == nullptr && errno != 0) refuse(errno);
    if (entry == nullptr) break;
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void Folder::sync() const {
  if (fsync(descriptor_->get()) != 0) throw system_error(path_, "its data cannot be made durable", errno);
}

Descriptor open_file(const Entry& file, int flags, mode_t mode) {
  // Without O_NONBLOCK a FIFO in the file's place would wait for ever.
  const int guard = file.held() ? O_NOFOLLOW | O_NONBLOCK : 0;
  Descriptor descriptor(::openat(file.folder(), file.name(), flags | guard | O_CLOEXEC, mode));
  if (!descriptor && file.held() && errno == ELOOP) throw is_a_link(file.path());
  if (!descriptor) throw system_error(file.path(), "cannot be opened", errno);
  if (!file.held() || (flags & O_DIRECTORY) != 0) return descriptor;
  if (!S_ISREG(status_of_open(descriptor.get(), file.path()).st_mode)) {
    throw IoError(file.path(), "is no regular file; remove it, or name another output");
  }
  return descriptor;
}

std::string reopening_path(const Descriptor& file) { return "/proc/self/fd/" + std::to_string(file.get()); }

std::optional<struct stat> status_of(const Entry& entry) {
  struct stat status;
  if (fstatat(entry.folder(), entry.name(), &status, AT_SYMLINK_NOFOLLOW) == 0) return status;
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw system_error(entry.path(), "its status is not known", errno);
}

bool remove_file(const Entry& file) {
  if (unlinkat(file.folder(), file.name(), 0) == 0) return true;
  if (errno == ENOENT) return false;
  throw system_error(file.path(), "cannot be removed", errno);
}

void remove_empty_folder(const Entry& folder) {
  if (unlinkat(folder.folder(), folder.name(), AT_REMOVEDIR) != 0 && errno != ENOENT) {
    throw system_error(folder.path(), "cannot be removed", errno);
  }
}

Folder make_folder(const Entry& folder) {
  if (mkdirat(folder.folder(), folder.name(), 0700) != 0 && errno != EEXIST) {
    throw system_error(folder.path(), "cannot be made", errno);
  }
  sync_folder_of(folder);
  return Folder::open(folder, false);
}

void sync_folder_of(const Entry& entry) {
  if (!entry.held()) return fsync_folder(entry.path().has_parent_path() ? entry.path().parent_path() : ".");
  if (fsync(entry.folder()) != 0) {
    throw system_error(entry.path().parent_path(), "its data cannot be made durable", errno);
  }
}

}  // namespace terrace::io
