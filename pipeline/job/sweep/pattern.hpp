// The files that a pattern names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace terrace::job {

/// The paths that match a pattern with `*`, `?` and `[...]`, sorted by their bytes; none if nothing matches.
/// @param folder to which a relative pattern is relative; the paths found then are, too
/// @throws IoError if a folder cannot be read
std::vector<std::string> matching_paths(const std::string& pattern, const std::filesystem::path& folder);

}  // namespace terrace::job
