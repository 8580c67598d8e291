// The kind of a file, folder or device at a path, for messages.
#pragma once

#include <filesystem>
#include <string>

namespace terrace {

/// "a file", "a folder", "a pipe", "a socket", "a device"; links are followed. "nothing" if it is not there.
std::string describe_file(const std::filesystem::path& path);

}  // namespace terrace
