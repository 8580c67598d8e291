// What a result file says about itself.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace terrace::io {

/// The text attribute of that name at the root of an HDF5 file; nothing where the file is no HDF5 file, cannot be
/// opened or has no such attribute.
std::optional<std::string> root_text(const std::filesystem::path& file, const std::string& name);

}  // namespace terrace::io
