// A folder for the files of one compilation.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "pipeline/base/error.hpp"

namespace terrace::compiled {

/// A new folder among the system's temporary files, removed with all that is in it.
class ScratchFolder {
 public:
  ScratchFolder() : path_((std::filesystem::temp_directory_path() / "terrace_kernel_XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw IoError(path_, "cannot be made");
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace terrace::compiled
