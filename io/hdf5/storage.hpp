// Where the elements of an HDF5 dataset lie, and what reading them needs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/hdf5/handle.hpp"

namespace terrace::io {

/// Properties to open a file for reading: as `hdf5_file_access`, but a file closes with the last that is open in it.
/// So the library opens the files that links and virtual datasets lead to; opened in two ways, none can be.
Hdf5Handle hdf5_read_access();

/// The file that the dataset lies in: where a link led to another file, that one.
std::filesystem::path file_of_dataset(hid_t dataset, const std::string& where);

/// All files that the dataset's elements come from, each once: its own, the files of external storage, and those of
/// a virtual dataset's sources, however deep.
/// @throws IoError naming what is not there or too short: the library would read it as zeros
std::vector<std::filesystem::path> storage_files(hid_t dataset, const std::string& where);

/// What the dataset needs and this machine's library lacks, and what to do: "needs the HDF5 filter 32015 (zstd),
/// ...". Empty where nothing is missing.
std::string missing_filters(hid_t dataset, const std::string& where);

/// Where a link leads that cannot be followed: "is a link to dataset /d of the file b.h5". Empty where `name` is no
/// link to elsewhere.
std::string describe_link(hid_t file, const std::string& name);

}  // namespace terrace::io
