// The folder in which a user's programs keep what they can make again.
#pragma once

#include <filesystem>
#include <string>

namespace terrace {

/// $XDG_CACHE_HOME/terrace, or ~/.cache/terrace; empty if neither is known.
std::filesystem::path cache_folder();

/// The name of a device as the name of a file: letters and digits are kept.
std::string cache_name(const std::string& device);

}  // namespace terrace
