// Names in folders that are held open, so that nobody can put a link or another folder in their way.
#pragma once

#include <sys/stat.h>

#include <concepts>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace terrace::io {

/// Owns a file descriptor; children do not inherit it when it was opened with `open_file`.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  /// Closes and reports errors, which the destructor would ignore. @throws IoError
  void close(const std::filesystem::path& path);

 private:
  int descriptor_ = -1;
};

/// A file or folder by its name in a held folder, or by a plain path.
///
/// In a held folder the functions of io/ follow no link and open regular files and folders alone. A plain path is
/// looked up as the system does.
class Entry {
 public:
  /// A plain path.
  template <class Path>
  requires(!std::same_as<std::remove_cvref_t<Path>, Entry> && std::constructible_from<std::filesystem::path, Path>)
      Entry(Path&& path)  // NOLINT(bugprone-forwarding-reference-overload): the constraint leaves copies out
      : path_(std::forward<Path>(path)), name_(path_.string()) {}
  /// @param path for messages; its last part is the name in the folder
  Entry(std::shared_ptr<const Descriptor> folder, std::filesystem::path path)
      : folder_(std::move(folder)), path_(std::move(path)), name_(path_.filename().string()) {}

  const std::filesystem::path& path() const { return path_; }
  bool held() const { return folder_ != nullptr; }
  /// The first argument of openat(2) and its like, and the second.
  int folder() const;
  const char* name() const { return name_.c_str(); }
  /// The entry of the same folder whose name is this name with `suffix` appended.
  Entry beside(const std::string& suffix) const;

 private:
  std::shared_ptr<const Descriptor> folder_;
  std::filesystem::path path_;
  std::string name_;
};

/// A folder held open: the entries stay its own, even if it is moved or another folder takes its name.
class Folder {
 public:
  /// Opens a folder. In a held folder, or with `follow` false, a link in its place is an error.
  /// @throws IoError
  static Folder open(const Entry& folder, bool follow = true);

  const std::filesystem::path& path() const { return path_; }
  Entry operator/(const std::string& name) const { return {descriptor_, path_ / name}; }
  struct stat status() const;
  /// True if the folder still has the path.
  bool still_there() const;
  /// Names of its entries, sorted. @throws IoError
  std::vector<std::string> names() const;
  /// fsync: the names in it survive a power cut. @throws IoError
  void sync() const;

 private:
  Folder(Descriptor descriptor, std::filesystem::path path)
      : descriptor_(std::make_shared<const Descriptor>(std::move(descriptor))), path_(std::move(path)) {}

  std::shared_ptr<const Descriptor> descriptor_;
  std::filesystem::path path_;
};

/// open(2) with O_CLOEXEC added; new files get `mode` less the umask. @throws IoError
Descriptor open_file(const Entry& file, int flags, mode_t mode = 0666);

/// A path that opens an open file again, even if another file has its name: for libraries that only take paths.
std::string reopening_path(const Descriptor& file);

/// The status of the entry itself, also of a link; nullopt if nothing has the name. @throws IoError
std::optional<struct stat> status_of(const Entry& entry);

/// Removes a file, or a link itself. @return false if nothing has the name. @throws IoError
bool remove_file(const Entry& file);

/// Removes an empty folder.
void remove_empty_folder(const Entry& folder);

/// Makes the folder with mode 0700 if nothing has its name, and syncs the folder that it is in. @throws IoError
Folder make_folder(const Entry& folder);

/// fsync of the folder that the entry is in. @throws IoError
void sync_folder_of(const Entry& entry);

}  // namespace terrace::io
