// Results as references for Zarr's readers.
#pragma once

#include <filesystem>
#include <string>

#include "pipeline/base/json_library.hpp"

namespace terrace::app {

/// The datasets of a result as a reference of kerchunk, version 1: a Zarr store (format 2) whose chunks are places in
/// the result's file, or, of texts, values in the reference itself. Chunks of a large dataset are runs of whole rows
/// of at most 64 MiB where its extents can be divided so.
/// @param stage empty: all groups, also the profile
/// @throws IoError if the file is no result, or a dataset cannot be read; JobError if it holds nothing of the stage
nlohmann::json kerchunk_of(const std::filesystem::path& file, const std::string& stage);

}  // namespace terrace::app
