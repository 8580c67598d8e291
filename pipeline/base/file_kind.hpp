// The kind of a file, folder or device at a path, and names near to one that is not there, for messages.
#pragma once

#include <filesystem>
#include <string>

namespace terrace {

/// "a file", "a folder", "a pipe", "a socket", "a device"; links are followed. "nothing" if it is not there.
std::string describe_file(const std::filesystem::path& path);

/// About a file that is not there: "; did you mean 'a.fa'?" with similar names in its folder, "; the
/// folder does not exist either", or nothing.
std::string names_beside(const std::filesystem::path& path);

}  // namespace terrace
