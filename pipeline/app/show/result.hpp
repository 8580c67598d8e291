// Result files as text.
#pragma once

#include <filesystem>
#include <string>

#include "pipeline/app/text_table.hpp"

namespace terrace::app {

/// The contents of a result, and its profile in words; with a stage, only the datasets of that stage.
/// @throws IoError if the file is no HDF5 file, was not made by Terrace, or holds nothing of the stage
std::string describe_result(const std::filesystem::path& file, const std::string& stage = {},
                            std::size_t width = no_terminal);

/// The results of at most six values, one a line: "align/score  6562".
std::string describe_small(const std::filesystem::path& file);

}  // namespace terrace::app
