// The files of the elements of an HDF5 dataset, and the filters that reading them needs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/hdf5/handle.hpp"

namespace terrace::io {

/// Properties to open a file for reading: as `hdf5_file_access`, but a file closes with its last open object. The
/// library opens the targets of links and virtual datasets in this way; a file opened in two ways fails.
Hdf5Handle hdf5_read_access();

/// The file that the dataset lies in: the target if a link led to another file.
std::filesystem::path file_of_dataset(hid_t dataset, const std::string& where);

/// All files of the dataset's elements, each once: its own, the files of external storage, and those of a virtual
/// dataset's sources, however deep.
/// @throws IoError naming a file that is missing or too short: the library would read it as zeros
std::vector<std::filesystem::path> storage_files(hid_t dataset, const std::string& where);

/// The filter that the dataset needs and this machine's library lacks, and the remedy: "needs the HDF5 filter 32015
/// (zstd), ...". Empty if nothing is missing.
std::string missing_filters(hid_t dataset, const std::string& where);

/// The target of a link that cannot be followed: "is a link to dataset /d of the file b.h5". Empty if `name` is no
/// link to another file or dataset.
std::string describe_link(hid_t file, const std::string& name);

}  // namespace terrace::io
