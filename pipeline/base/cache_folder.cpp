#include "pipeline/base/cache_folder.hpp"

#include <cctype>
#include <cstdlib>

namespace terrace {

std::filesystem::path cache_folder() {
  const auto absolute = [](const char* name) {
    const char* found = std::getenv(name);
    const std::filesystem::path path = found == nullptr ? "" : found;
    return path.is_absolute() ? path : std::filesystem::path();
  };
  if (const auto folder = absolute("XDG_CACHE_HOME"); !folder.empty()) return folder / "terrace";
  const auto home = absolute("HOME");
  return home.empty() ? home : home / ".cache" / "terrace";
}

std::string cache_name(const std::string& device) {
  std::string name;
  for (const char letter : device) name += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return name;
}

}  // namespace terrace
