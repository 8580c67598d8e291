#include "io/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "pipeline/base/error.hpp"
#include "pipeline/base/file_kind.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::io {
namespace {

/// Raises an error of the system about a file.
[[noreturn]] void fail_with(const std::filesystem::path& path, const std::string& what, int reason) {
  const std::string text = what + std::strerror(reason);
  if (is_of_the_disk(reason)) throw DiskError(path.string(), text);
  throw IoError(path.string(), text);
}

void check_regular(const std::filesystem::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    const int reason = errno;
    if (reason != ENOENT && reason != ENOTDIR) fail_with(path, "", reason);
    std::error_code ignored;
    const auto target = std::filesystem::read_symlink(path, ignored);
    if (!ignored) throw IoError(path.string(), "is a link to " + target.string() + ", which is not there");
    throw IoError(path.string(), "there is no such file" + names_beside(path));
  }
  if (S_ISDIR(status.st_mode)) throw IoError(path.string(), "is a folder; name a file in it");
  if (!S_ISREG(status.st_mode)) throw IoError(path.string(), "is no regular file; copy its contents into one");
}

std::string message_in(const Settings& settings, const std::string& key, const std::string& message) {
  return message_at(settings.has(key) ? settings.place(key) : Place{}, message);
}

std::vector<std::string> messages_in(const Settings& settings, const std::string& key,
                                     const std::vector<ElementFault>& faults) {
  std::vector<std::string> messages;
  for (const ElementFault& fault : faults) messages.push_back(message_in(settings, key, fault.message));
  return messages;
}

}  // namespace

bool is_of_the_disk(int error_number) {
  return error_number == EIO || error_number == ESTALE || error_number == ETIMEDOUT;
}

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)) {
  check_regular(path_);
  // Non-blocking, in case a pipe has taken the file's place by now.
  descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) fail_with(path_, "cannot be opened: ", errno);
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) {
    const int reason = errno;
    close(std::exchange(descriptor_, -1));
    fail_with(path_, "", reason);
  }
  size_ = status.st_size;
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::int64_t InputFile::read_some(std::int64_t offset, std::int64_t bytes, void* buffer) const {
  // The kernel moves at most about 2 GiB a call.
  constexpr std::int64_t most = std::int64_t{1} << 30;
  std::int64_t done = 0;
  while (done < bytes) {
    const auto count = static_cast<std::size_t>(std::min(most, bytes - done));
    const ssize_t got = pread(descriptor_, static_cast<char*>(buffer) + done, count, offset + done);
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      fail_with(path_, "reading at byte " + std::to_string(offset + done) + " failed: ", errno);
    }
    done += got;
  }
  return done;
}

void InputFile::read(std::int64_t offset, std::int64_t bytes, void* buffer) const {
  const std::int64_t got = read_some(offset, bytes, buffer);
  if (got == bytes) return;
  throw IoError(path_.string(), "ends at byte " + std::to_string(offset + got) + ", but from byte " +
                                    std::to_string(offset) + " on " + counted(bytes, "byte") +
                                    (bytes == 1 ? " is" : " are") + " needed; the file was cut short");
}

std::filesystem::path input_path(const Settings& settings, const std::string& key, const OpenContext& context) {
  if (settings.text(key).empty()) fail_setting(settings, key, key + ": a file's name is missing");
  return context.folder / settings.text(key);
}

void fail_setting(const Settings& settings, const std::string& key, const std::string& message) {
  throw JobError(message_in(settings, key, message));
}

ElementError::ElementError(const Settings& settings, std::string key, std::vector<ElementFault> faults)
    : JobError(messages_in(settings, key, faults)), key_(std::move(key)), faults_(std::move(faults)) {}

}  // namespace terrace::io
