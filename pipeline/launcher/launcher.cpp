// The command `terrace` of a package (scripts/package): starts the program beside it by the loader and the C library
// that come with it, or by those of the machine if they are newer, as the GPU's driver may need them. It is linked
// statically, so that it runs on every Linux.
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// The place of the machine's loader, which the interface of all programs fixes.
constexpr const char* machine_loader = "/lib64/ld-linux-x86-64.so.2";
/// Folders of NVRTC as Python's packages of NVIDIA lie beside the wheel of Terrace.
constexpr const char* nvrtc_folders[] = {"/../nvidia/cu13/lib", "/../nvidia/cuda_nvrtc/lib"};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "terrace: %s\n", what.c_str());
  std::exit(1);
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// The place of this file, behind all links.
std::string own_path() {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives addresses as numbers
  const char* started = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  char* resolved = ::realpath(started != nullptr ? started : "/proc/self/exe", nullptr);
  if (resolved == nullptr) fail("its own place is not found; start it by its path");
  std::string path = resolved;
  std::free(resolved);
  return path;
}

/// 36 for the loader of glibc 2.36; 0 for none, and for those before 2.33, which do not say it.
int version_of(const char* loader) {
  const int file = ::open(loader, O_RDONLY | O_CLOEXEC);
  struct stat state {};
  if (file < 0 || ::fstat(file, &state) != 0 || state.st_size == 0) return 0;
  const auto size = static_cast<std::size_t>(state.st_size);
  void* bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  ::close(file);
  if (bytes == MAP_FAILED) return 0;
  const std::string_view text(static_cast<const char*>(bytes), size), words = " release version 2.";
  const std::size_t at = text.find(words);
  const int version = at == std::string_view::npos ? 0 : std::atoi(text.data() + at + words.size());
  ::munmap(bytes, size);
  return version;
}

/// The folders in which the loader looks first, those that LD_LIBRARY_PATH names last.
std::string library_path(const std::string& prefix, const std::string& first) {
  std::string path = first;
  for (const char* folder : nvrtc_folders) {
    if (::access((prefix + folder).c_str(), X_OK) == 0) path += ":" + prefix + folder;
  }
  const char* named = std::getenv("LD_LIBRARY_PATH");
  return named == nullptr || *named == '\0' ? path : path + ":" + named;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string self = own_path(), prefix = folder_of(folder_of(self)), libraries = prefix + "/lib/terrace";
  // The loader takes these letters for its own.
  if (prefix.find_first_of(":;$") != std::string::npos) {
    fail("its folder " + prefix + " has ':', ';' or '$' in its name: move it to another one");
  }
  const std::string own_loader = libraries + "/libc/ld-linux-x86-64.so.2", program = libraries + "/terrace";
  const bool newer = version_of(machine_loader) > version_of(own_loader.c_str());
  const std::string loader = newer ? machine_loader : own_loader;
  const std::string path = library_path(prefix, newer ? libraries : libraries + "/libc:" + libraries);
  std::vector<const char*> words{loader.c_str(),   "--argv0",    self.c_str(),
                                 "--library-path", path.c_str(), program.c_str()};
  words.insert(words.end(), arguments + 1, arguments + count);
  words.push_back(nullptr);
  ::execv(loader.c_str(), const_cast<char* const*>(words.data()));
  fail(loader + " cannot be started: " + std::strerror(errno) + "; unpack the package again");
}
