// Result files as text.
#pragma once

#include <filesystem>
#include <string>

namespace terrace::app {

/// What is in a result, and its profile in words.
/// @throws IoError where the file is no HDF5 file or was not made by Terrace
std::string describe_result(const std::filesystem::path& file);

}  // namespace terrace::app
