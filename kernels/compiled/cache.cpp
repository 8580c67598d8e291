#include "kernels/compiled/cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "io/files/durable.hpp"
#include "kernels/compiled/binary_file.hpp"
#include "kernels/compiled/key.hpp"
#include "pipeline/base/cache_folder.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::compiled {
namespace {

constexpr const char* unfinished = ".new";

/// True if nobody but this user has it and may write to it.
bool is_own(const struct stat& status) {
  return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// True for names of files that a cache makes, also of those that it renames when they are complete.
bool is_name(const std::string& name) {
  const std::size_t dot = name.find('.');
  return is_name_of_key(name.substr(0, dot)) && (dot == name.npos || name.ends_with(unfinished));
}

struct KeptFile {
  std::string name;
  std::int64_t bytes;
  timespec used;
};

std::vector<KeptFile> kept_files(const io::Folder& folder) {
  std::vector<KeptFile> files;
  for (const std::string& name : folder.names()) {
    if (!is_name(name)) continue;
    const auto status = io::status_of(folder / name);
    if (status && S_ISREG(status->st_mode)) files.push_back({name, status->st_size, status->st_mtim});
  }
  return files;
}

/// A file that no other process writes; it is removed unless it gets its name.
class NewFile {
 public:
  explicit NewFile(const io::Entry& wanted)
      : wanted_(wanted),
        entry_(wanted.beside("." + own_text() + unfinished)),
        file_(io::open_file(entry_, O_WRONLY | O_CREAT | O_EXCL, 0600)) {}
  ~NewFile() {
    if (!named_) ::unlinkat(entry_.folder(), entry_.name(), 0);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(const std::string& content) {
    io::write_fully(file_.get(), std::as_bytes(std::span(content)), 0, entry_.path());
    file_.close(entry_.path());
  }
  void take_name() { named_ = ::renameat(entry_.folder(), entry_.name(), wanted_.folder(), wanted_.name()) == 0; }

 private:
  /// That hardly another process has, also on other machines that share the folder.
  static std::string own_text() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::to_string(getpid()) + "." + std::to_string(now.count());
  }

  const io::Entry& wanted_;
  io::Entry entry_;
  io::Descriptor file_;
  bool named_ = false;
};

/// The variable TERRACE_COMPILED_CACHE; "on" if it is unset or empty.
std::string cache_variable() {
  const char* variable = std::getenv("TERRACE_COMPILED_CACHE");
  return variable == nullptr || *variable == '\0' ? "on" : variable;
}

}  // namespace

Cache::Cache(std::filesystem::path folder, std::int64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {}

std::optional<Binary> Cache::find(const std::string& key) const {
  if (!is_used()) return std::nullopt;
  try {
    const io::Folder folder = io::Folder::open(folder_, false);
    const io::Entry entry = folder / name_of(key);
    if (!is_own(folder.status())) return std::nullopt;
    const io::Descriptor file = io::open_file(entry, O_RDONLY);
    struct stat status;
    if (::fstat(file.get(), &status) != 0 || !is_own(status) || status.st_size > most_bytes_) return std::nullopt;
    std::vector<std::byte> content(static_cast<std::size_t>(status.st_size));
    io::read_fully(file.get(), content, 0, entry.path());
    std::optional<Binary> binary = binary_in(content, key);
    if (binary) ::futimens(file.get(), nullptr);  // the time of its last use
    return binary;
  } catch (const IoError&) {
    return std::nullopt;
  }
}

void Cache::keep(const std::string& key, const Binary& binary) const {
  const std::string content = content_of(key, binary);
  const auto bytes = static_cast<std::int64_t>(content.size());
  if (!is_used() || bytes > most_bytes_) return;
  std::error_code ignored;  // what follows fails
  std::filesystem::create_directories(folder_.parent_path(), ignored);
  ::mkdir(folder_.c_str(), 0700);
  try {
    const io::Folder folder = io::Folder::open(folder_, false);
    if (!is_own(folder.status())) return;
    make_room(folder, bytes);
    const io::Entry entry = folder / name_of(key);
    NewFile file(entry);
    file.write(content);
    file.take_name();
  } catch (const IoError&) {  // it is compiled again
  }
}

void Cache::make_room(const io::Folder& folder, std::int64_t bytes) const {
  std::vector<KeptFile> files = kept_files(folder);
  for (const KeptFile& file : files) bytes += file.bytes;
  if (bytes <= most_bytes_) return;
  std::ranges::sort(files, {}, [](const KeptFile& file) { return std::pair(file.used.tv_sec, file.used.tv_nsec); });
  for (const KeptFile& file : files) {
    if (bytes <= most_bytes_) return;
    io::remove_file(folder / file.name);
    bytes -= file.bytes;
  }
}

Cache user_cache() {
  const std::filesystem::path folder = cache_folder();
  return cache_variable() != "on" || folder.empty() ? Cache() : Cache(folder / "compiled");
}

std::string fault_of_cache_variable() {
  const std::string said = cache_variable();
  if (said == "on" || said == "off") return "";
  return "TERRACE_COMPILED_CACHE in the environment is " + quote(said) +
         ", which is neither on nor off: say off to compile kernels anew in each run, or unset it";
}

}  // namespace terrace::compiled
