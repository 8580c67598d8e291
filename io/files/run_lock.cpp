#include "io/files/run_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <map>
#include <mutex>

namespace terrace::io {

namespace fs = std::filesystem;

namespace {

std::string this_host() {
  std::array<char, 256> host{};
  return gethostname(host.data(), host.size() - 1) == 0 ? host.data() : "unknown";
}

std::string describe_this_process() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> time{};
  std::strftime(time.data(), time.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return "host " + this_host() + ", process " + std::to_string(getpid()) + ", since " + time.data();
}

std::string read_holder(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t got = pread(descriptor, text.data(), text.size(), 0);
  std::string holder(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  holder = holder.substr(0, holder.find('\n'));
  return holder.empty() ? "it has not yet said who it is" : holder;
}

/// True if the name still refers to the open file.
bool has_name(int descriptor, const Entry& entry) {
  struct stat open_file, named_file;
  if (fstat(descriptor, &open_file) != 0) return false;
  if (fstatat(entry.folder(), entry.name(), &named_file, AT_SYMLINK_NOFOLLOW) != 0) return false;
  return open_file.st_dev == named_file.st_dev && open_file.st_ino == named_file.st_ino;
}

/// The locks that this process holds. The kernel gives such a lock up as soon as the process closes any descriptor of
/// the file, and grants it to the process again and again; hence no locked file is opened a second time.
class LocksHeld {
 public:
  static LocksHeld& instance() {
    static LocksHeld locks;
    return locks;
  }
  /// While it is held, no lock of this process is taken, given up or looked at.
  std::unique_lock<std::mutex> exclusive() { return std::unique_lock(mutex_); }

  /// The holder's description if the entry's file is locked by this process, or nullopt.
  std::optional<std::string> holder_of(const Entry& entry) const {
    struct stat named_file;
    if (fstatat(entry.folder(), entry.name(), &named_file, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
    const auto found = holders_.find({named_file.st_dev, named_file.st_ino});
    return found == holders_.end() ? std::nullopt : std::optional(found->second);
  }
  void add(const LockedFile& file, const std::string& holder) { holders_[file] = holder; }
  void remove(const LockedFile& file) { holders_.erase(file); }

 private:
  std::mutex mutex_;
  std::map<LockedFile, std::string> holders_;
};

/// A lock of the whole file, of a kind that belongs to the process and not to the open file.
struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

void lock_file(int descriptor, const fs::path& path) {
  struct flock lock = whole_file();
  while (fcntl(descriptor, F_SETLK, &lock) != 0) {
    if (errno == EINTR) continue;
    if (errno == EACCES || errno == EAGAIN) throw LockHeld(path, read_holder(descriptor));
    throw system_error(path, "cannot be locked; its file system may have no locks", errno);
  }
}

/// True if another process holds the lock of the open file.
bool is_locked(int descriptor) {
  struct flock lock = whole_file();
  return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/// Opens and locks the file that has the name; tries again if another process removed it in between.
Descriptor take_lock(const Entry& entry) {
  for (;;) {
    Descriptor file = open_file(entry, O_RDWR | O_CREAT);
    lock_file(file.get(), entry.path());
    if (has_name(file.get(), entry)) return file;
  }
}

void write_holder(int descriptor, const std::string& holder, const fs::path& path) {
  if (ftruncate(descriptor, 0) != 0) throw system_error(path, "cannot be emptied", errno);
  const std::string line = holder + "\n";
  write_fully(descriptor, std::as_bytes(std::span(line)), 0, path);
}

LockedFile identity_of(int descriptor, const fs::path& path) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) throw system_error(path, "its status is not known", errno);
  return {status.st_dev, status.st_ino};
}

}  // namespace

RunLock::RunLock(const Entry& file) : entry_(file) {
  LocksHeld& locks = LocksHeld::instance();
  const auto exclusive = locks.exclusive();
  if (const auto holder = locks.holder_of(entry_)) throw LockHeld(path(), *holder);
  Descriptor taken = take_lock(entry_);
  const std::string holder = describe_this_process();
  write_holder(taken.get(), holder, path());
  identity_ = identity_of(taken.get(), path());
  locks.add(identity_, holder);
  file_ = std::move(taken);
}

RunLock::~RunLock() {
  LocksHeld& locks = LocksHeld::instance();
  const auto exclusive = locks.exclusive();
  locks.remove(identity_);
  file_ = Descriptor();
}

bool RunLock::still_there() const { return has_name(file_.get(), entry_); }

void RunLock::remove() { remove_file(entry_); }

std::optional<LockState> look_at_lock(const Entry& entry) {
  LocksHeld& locks = LocksHeld::instance();
  const auto exclusive = locks.exclusive();
  if (const auto holder = locks.holder_of(entry)) return LockState{*holder, true, false};
  Descriptor file;
  try {
    file = open_file(entry, O_RDONLY);
  } catch (const IoError&) {
    return std::nullopt;
  }
  LockState state;
  state.holder = read_holder(file.get());
  state.elsewhere = !state.holder.starts_with("host " + this_host() + ",");
  state.held = !state.elsewhere && is_locked(file.get());
  return state;
}

}  // namespace terrace::io
