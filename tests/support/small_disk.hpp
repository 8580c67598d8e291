// A file system with little room.
#pragma once

#include <sys/mount.h>

#include <string>

#include "tests/support/temp_folder.hpp"

namespace terrace::test {

/// A tmpfs of a given size, if mounting is allowed.
class SmallDisk {
 public:
  explicit SmallDisk(std::size_t bytes) {
    const std::string options = "size=" + std::to_string(bytes);
    mounted_ = mount("none", folder_.path().c_str(), "tmpfs", 0, options.c_str()) == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) umount2(folder_.path().c_str(), MNT_DETACH);
  }

  bool mounted() const { return mounted_; }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  TempFolder folder_;
  bool mounted_ = false;
};

}  // namespace terrace::test
