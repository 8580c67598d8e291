// An input's file: found, opened and read at places.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "io/source.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {

/// A disk, or the connection to it, failed (exit code 1, at any time): the file may be intact.
class DiskError : public IoError {
 public:
  using IoError::IoError;
};

/// True if a system error means that a disk, or the connection to it, failed.
bool is_of_the_disk(int error_number);

/// A regular file that is open for reading; closed by its owner. Any number of threads may read at once.
class InputFile {
 public:
  /// @throws IoError if there is no such file (with similar names in that folder), or it is a folder, a pipe or a
  /// device, or may not be read; DiskError
  explicit InputFile(std::filesystem::path path);
  InputFile(InputFile&& other) noexcept
      : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  const std::filesystem::path& path() const { return path_; }
  /// Bytes in the file when it was opened.
  std::int64_t size() const { return size_; }
  int descriptor() const { return descriptor_; }

  /// Reads the bytes [offset, offset + bytes) into `buffer`.
  /// @throws IoError naming the byte if the file ends too soon; DiskError if the disk fails
  void read(std::int64_t offset, std::int64_t bytes, void* buffer) const;
  /// Reads at most `bytes` bytes from `offset` on. @return their number
  std::int64_t read_some(std::int64_t offset, std::int64_t bytes, void* buffer) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

/// The path that the setting `key` names, relative to the context's folder.
std::filesystem::path input_path(const Settings& settings, const std::string& key, const OpenContext& context);

/// Raises an error about one setting, with its place and the line of the job if those are known.
/// @throws JobError always
[[noreturn]] void fail_setting(const Settings& settings, const std::string& key, const std::string& message);

/// A fault of one element of a setting that is a list.
struct ElementFault {
  std::size_t element;  // its index in the list
  std::string message;
};

/// Faults of elements of one setting. Whoever knows the text of the job reports each at its element; the messages of
/// the base have the place of the list.
class ElementError : public JobError {
 public:
  /// @param faults at least one
  ElementError(const Settings& settings, std::string key, std::vector<ElementFault> faults);
  const std::string& key() const { return key_; }
  const std::vector<ElementFault>& faults() const { return faults_; }

 private:
  std::string key_;
  std::vector<ElementFault> faults_;
};

}  // namespace terrace::io
