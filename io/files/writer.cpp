#include "io/files/writer.hpp"

#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <fstream>
#include <sstream>

namespace terrace::io {
namespace {

/// The id of the process that holds an exclusive flock of the file, by the kernel's list of locks; 0: not known.
long holder_of(int descriptor) {
  struct stat state {};
  if (fstat(descriptor, &state) != 0) return 0;
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    // "1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF"
    std::istringstream fields(line);
    std::string number, kind, strength, way;
    long process = 0;
    unsigned major_number = 0, minor_number = 0;
    unsigned long inode = 0;
    char colon = 0;
    if (!(fields >> number >> kind >> strength >> way >> process >> std::hex >> major_number >> colon >>
          minor_number >> colon >> std::dec >> inode)) {
      continue;
    }
    if (kind == "FLOCK" && way == "WRITE" && process > 0 && inode == state.st_ino &&
        makedev(major_number, minor_number) == state.st_dev) {
      return process;
    }
  }
  return 0;
}

std::string describe_process(long process) {
  if (process == 0) return "another process";
  std::string name;
  std::getline(std::ifstream("/proc/" + std::to_string(process) + "/comm"), name);
  return "process " + std::to_string(process) + (name.empty() ? "" : " (" + name + ")");
}

}  // namespace

std::optional<std::string> find_writer(int descriptor) {
  int result = 0;
  do result = flock(descriptor, LOCK_SH | LOCK_NB);
  while (result != 0 && errno == EINTR);
  if (result == 0) {
    flock(descriptor, LOCK_UN);
    return std::nullopt;
  }
  if (errno != EWOULDBLOCK) return std::nullopt;
  return describe_process(holder_of(descriptor));
}

}  // namespace terrace::io
