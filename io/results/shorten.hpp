// Datasets that end before the extents that were reserved for them.
#pragma once

#include <filesystem>
#include <vector>

#include "io/files/durable.hpp"
#include "io/results/file.hpp"

namespace terrace::io {

/// Shortens datasets that create_result() has made along their first axis to the shapes given here; those of equal
/// shape stay as they are. The elements stay in their places, and a file system that can gets back the space of those
/// that are left out. Not durable yet; restore_metadata() undoes it. HDF5 must not have the file open.
/// @param file open for reading and writing @param path of the file, for messages
/// @throws Error if a dataset would become longer, or other axes differ; IoError
void shorten_datasets(const Descriptor& file, const std::filesystem::path& path,
                      const std::vector<DatasetSpec>& datasets);

}  // namespace terrace::io
