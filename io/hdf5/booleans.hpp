// Booleans in HDF5, which has no type of its own for them.
#pragma once

#include <string>

#include "io/hdf5/handle.hpp"

namespace terrace::io {

/// True if the elements of a dataset are booleans: an enumeration of FALSE, 0, and TRUE, 1, in a byte, as h5py writes
/// them; or bytes with the text "bool" as their attribute `dtype`, as xarray writes them.
bool holds_booleans(const Hdf5Handle& dataset, const std::string& where);

}  // namespace terrace::io
