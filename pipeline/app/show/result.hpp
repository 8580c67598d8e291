// Result files as text.
#pragma once

#include <filesystem>
#include <string>

#include "io/results/reader.hpp"
#include "pipeline/app/text_table.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::app {

/// The contents of a result, and its profile in words; with a stage, only the datasets of that stage.
/// @throws IoError if the file is no HDF5 file, was not made by Terrace, or holds nothing of the stage
std::string describe_result(const std::filesystem::path& file, const std::string& stage = {},
                            std::size_t width = no_terminal);

/// The results of at most six values, one a line: "align/score  6562"; without names and places along dimensions.
std::string describe_small(const std::filesystem::path& file);

/// True if the dataset is described: it is none of the program's own, and of the stage; empty: of any.
bool is_shown(const io::DatasetSummary& dataset, const std::string& stage);

/// @throws IoError if Terrace did not make the file
void check_is_result(const io::ResultReader& reader, const std::filesystem::path& file);

/// The error of a stage that a result does not have.
JobError nothing_of(const std::string& stage, const io::ResultReader& reader, const std::filesystem::path& file);

}  // namespace terrace::app
