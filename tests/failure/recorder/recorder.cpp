#include "tests/failure/recorder/recorder.hpp"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace recorder {
namespace {

std::int64_t number_from(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  if (!text) return otherwise;
  char* end = nullptr;
  const std::int64_t value = std::strtoll(text, &end, 10);
  if (end == text || value < 1) give_up(std::string(name) + "=" + text + " is no number from 1 on");
  return value;
}

[[noreturn]] void die() {
  for (;;) ::kill(::getpid(), SIGKILL);
}

std::string real_path(const std::string& path) {
  char resolved[PATH_MAX];
  return ::realpath(path.c_str(), resolved) ? resolved : "";
}

/// The folder that relative paths start from.
std::string start_of(int folder) {
  if (folder == AT_FDCWD) return real_path(".");
  return real_path("/proc/self/fd/" + std::to_string(folder));
}

std::string resolve(std::string path, bool follow) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const auto slash = path.rfind('/');
  const std::string name = path.substr(slash + 1);
  if (follow || name == "." || name == "..") {
    std::string whole = real_path(path);
    if (!whole.empty()) return whole;
  }
  const std::string parent = real_path(path.substr(0, slash + 1));
  if (parent.empty()) return "";
  return (parent == "/" ? "" : parent) + "/" + name;
}

}  // namespace

void give_up(const std::string& why) {
  const std::string message = "recorder: " + why + "\n";
  static auto* const real = next<decltype(::write)>("write");
  [[maybe_unused]] const auto written = real(STDERR_FILENO, message.data(), message.size());
  std::abort();
}

Event::Event(const char* kind, const char* call) {
  text("kind", kind);
  text("call", call);
}

Event& Event::number(const char* key, std::int64_t value) {
  fields_ += std::string(", \"") + key + "\": " + std::to_string(value);
  return *this;
}

Event& Event::text(const char* key, std::string_view value) {
  fields_ += std::string(", \"") + key + "\": \"";
  for (const char letter : value) {
    const auto code = static_cast<unsigned char>(letter);
    char escaped[8];
    if (code < 0x20 || letter == '"' || letter == '\\') {
      std::snprintf(escaped, sizeof escaped, "\\u%04x", code);
      fields_ += escaped;
    } else {
      fields_ += letter;
    }
  }
  fields_ += '"';
  return *this;
}

Event& Event::harmless(bool is_harmless) {
  harmless_ = is_harmless;
  return *this;
}

Recorder& Recorder::instance() {
  // Never destroyed: calls come in until the process has gone.
  static auto* const recorder = new Recorder;
  return *recorder;
}

Recorder::Recorder() {
  const char* folder = std::getenv("RECORD_FOLDER");
  if (!folder) return;
  folder_ = real_path(folder);
  if (folder_.empty()) give_up(std::string("RECORD_FOLDER=") + folder + " is no folder");
  if (const char* log = std::getenv("RECORD_LOG")) log_path_ = log;
  process_ = ::getpid();
  // A child is forked between two calls, never amid one: it would wait for the lock for ever.
  ::pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                   [] { instance().mutex_.unlock(); });
  constexpr auto never = std::numeric_limits<std::int64_t>::max();
  kill_at_ = number_from("RECORD_KILL_AT", never);
  const char* kill = std::getenv("RECORD_KILL_AT");
  kill_before_ = kill && std::strstr(kill, ":before");
  fail_sync_at_ = number_from("RECORD_FAIL_SYNC_AT", never);
  no_space_at_ = number_from("RECORD_NO_SPACE_AT", never);
  fail_direct_at_ = number_from("RECORD_FAIL_DIRECT_AT", never);
}

std::optional<std::string> Recorder::inside(int folder, const char* path, bool follow) const {
  if (!path || !*path) return std::nullopt;
  const int error = errno;
  const std::string whole = resolve(*path == '/' ? path : start_of(folder) + "/" + path, follow);
  errno = error;
  if (whole == folder_) return ".";
  if (whole.size() <= folder_.size() + 1 || whole.compare(0, folder_.size(), folder_) != 0) return std::nullopt;
  if (whole[folder_.size()] != '/') return std::nullopt;
  return whole.substr(folder_.size() + 1);
}

const OpenFile* Recorder::file(int descriptor) {
  const auto at = files_.find(descriptor);
  if (at == files_.end()) return nullptr;
  // The library itself may have closed the descriptor, and its number may belong to another file.
  struct stat status;
  const int error = errno;
  const bool same =
      ::fstat(descriptor, &status) == 0 && status.st_dev == at->second.device && status.st_ino == at->second.inode;
  errno = error;
  if (same) return &at->second;
  files_.erase(at);
  return nullptr;
}

const OpenFile& Recorder::opened(int descriptor, int flags) {
  struct stat status;
  if (::fstat(descriptor, &status) != 0) give_up("cannot look at a file that was just opened");
  OpenFile& file = files_[descriptor];
  file = OpenFile{++files_opened_, status.st_dev, status.st_ino, flags};
  return file;
}

void Recorder::duplicated(int descriptor, int copy) {
  const OpenFile* original = file(descriptor);
  if (original && descriptor != copy) files_[copy] = *original;
}

bool Recorder::in_child() const { return process_ != ::getpid(); }

void Recorder::before() const {
  if (in_child()) return;
  if (kill_before_ && recorded_ + 1 == kill_at_) die();
}

void Recorder::record(Event event, const iovec* buffers, int count, std::size_t bytes) {
  if (in_child()) {
    if (event.is_harmless()) return;
    give_up("a child process changes the recorded folder");
  }
  const int error = errno;
  ++recorded_;
  if (!log_path_.empty()) {
    if (log_ < 0) open_log();
    if (count > 0) event.number("data", data_bytes_).number("bytes", static_cast<std::int64_t>(bytes));
    for (int i = 0; i < count && bytes > 0; ++i) {
      const std::size_t part = buffers[i].iov_len < bytes ? buffers[i].iov_len : bytes;
      append(data_, buffers[i].iov_base, part);
      bytes -= part;
      data_bytes_ += static_cast<std::int64_t>(part);
    }
    const std::string line = "{\"n\": " + std::to_string(recorded_) + event.fields() + "}\n";
    append(log_, line.data(), line.size());
  }
  if (!kill_before_ && recorded_ == kill_at_) die();
  errno = error;
}

void Recorder::open_log() {
  static auto* const real = next<int(const char*, int, ...)>("open");
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  log_ = real(log_path_.c_str(), flags, 0644);
  data_ = real((log_path_ + ".data").c_str(), flags, 0644);
  if (log_ < 0 || data_ < 0) {
    give_up("cannot make the log " + log_path_ + ": " + std::strerror(errno) +
            " (a log of an earlier run, or of another process of this one?)");
  }
}

void Recorder::append(int descriptor, const void* bytes, std::size_t count) const {
  static auto* const real = next<decltype(::write)>("write");
  for (auto* at = static_cast<const char*>(bytes); count > 0;) {
    const ssize_t written = real(descriptor, at, count);
    if (written < 0) give_up(std::string("cannot write the log: ") + std::strerror(errno));
    at += written;
    count -= static_cast<std::size_t>(written);
  }
}

}  // namespace recorder
