#include "pipeline/base/file_kind.hpp"

#include <vector>

#include "pipeline/base/near_name.hpp"

namespace terrace {

std::string describe_file(const std::filesystem::path& path) {
  std::error_code ignored;
  switch (std::filesystem::status(path, ignored).type()) {
    case std::filesystem::file_type::regular:
      return "a file";
    case std::filesystem::file_type::directory:
      return "a folder";
    case std::filesystem::file_type::fifo:
      return "a pipe";
    case std::filesystem::file_type::socket:
      return "a socket";
    case std::filesystem::file_type::block:
    case std::filesystem::file_type::character:
      return "a device";
    default:
      return "nothing";
  }
}

std::string names_beside(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(folder, ignored)) return "; the folder does not exist either";
  std::vector<std::string> names;
  // No exception if the folder may be entered but not listed, or its disk fails: names are only a hint.
  for (std::filesystem::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    names.push_back(entry->path().filename().string());
  }
  return did_you_mean(path.filename().string(), names);
}

}  // namespace terrace
