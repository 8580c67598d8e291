#include "io/files/run_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <sstream>

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

/// True if the kernel's list of locks has a flock lock of this process.
bool holds_a_lock(const std::string& process) {
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, advisory, access, holder;
    words >> number >> kind >> advisory >> access >> holder;
    if (kind == "FLOCK" && holder == process) return true;
  }
  return false;
}

void lock_file(int descriptor, const fs::path& path) {
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) throw LockHeld(path, read_holder(descriptor));
    throw system_error(path, "cannot be locked; its file system may have no locks", errno);
  }
}

}  // namespace

RunLock::RunLock(const Entry& file) : entry_(file) {
  do {
    file_ = Descriptor();
    file_ = open_file(entry_, O_RDWR | O_CREAT);
    lock_file(file_.get(), path());
  } while (!has_name(file_.get(), entry_));
  if (ftruncate(file_.get(), 0) != 0) throw system_error(path(), "cannot be emptied", errno);
  const std::string text = describe_this_process() + "\n";
  write_fully(file_.get(), std::as_bytes(std::span(text)), 0, path());
}

bool RunLock::still_there() const { return has_name(file_.get(), entry_); }

void RunLock::remove() { remove_file(entry_); }

std::optional<LockState> look_at_lock(const Entry& entry) {
  Descriptor file;
  try {
    file = open_file(entry, O_RDONLY);
  } catch (const IoError&) {
    return std::nullopt;
  }
  LockState state;
  state.holder = read_holder(file.get());
  state.elsewhere = !state.holder.starts_with("host " + this_host() + ",");
  const std::string word = "process ";
  const std::size_t at = state.holder.find(word);
  if (state.elsewhere || at == std::string::npos) return state;
  const std::size_t begin = at + word.size();
  state.held = holds_a_lock(state.holder.substr(begin, state.holder.find(',', begin) - begin));
  return state;
}

}  // namespace terrace::io
