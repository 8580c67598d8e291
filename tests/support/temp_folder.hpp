// A folder that is removed at the end of the test.
#pragma once

#include <filesystem>
#include <string>

namespace terrace::test {

/// A new empty folder, removed with all that is in it.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  /// Writes a file with `bytes`. @return its path
  std::filesystem::path write(const std::string& name, const std::string& bytes) const;
  /// The bytes of a file; empty if there is no such file.
  std::string read(const std::string& name) const;

 private:
  std::filesystem::path path_;
};

}  // namespace terrace::test
