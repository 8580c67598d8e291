// Names of the dimensions of stored datasets.
#pragma once

#include <string>
#include <vector>

#include "io/hdf5/handle.hpp"

namespace terrace::io {

/// Names of a dataset's dimensions, by their scales; empty if one of them has none.
/// @param path of the dataset in its file; @param rank its number of dimensions
std::vector<std::string> dimension_names(const Hdf5Handle& dataset, const std::string& path, int rank);

}  // namespace terrace::io
