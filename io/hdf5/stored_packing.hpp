// The packing of a dataset by its attributes.
#pragma once

#include <string>
#include <vector>

#include "io/hdf5/handle.hpp"
#include "io/packing.hpp"

namespace terrace::io {

/// The packing that attributes state.
struct StoredPacking {
  Packing packing;
  std::vector<std::string> faults = {};  // attributes that cannot be understood: "`scale_factor` is no number"
};

/// The packing by the conventions of CF and netCDF: `_FillValue` and `missing_value` (one number or several),
/// `valid_range` or `valid_min` and `valid_max`, `_Unsigned`, `scale_factor` and `add_offset`. A valid range is one
/// of stored elements, unless its attribute is of a wider type of floating point than they are, and they are scaled.
/// In a file that netCDF wrote (it has `_NCProperties`), elements of 2 bytes and more without `_FillValue` have
/// netCDF's default one.
/// @param type of the elements as they are read without unpacking @param where file and dataset
StoredPacking stored_packing(const Hdf5Handle& dataset, ElementType type, const std::string& where);

}  // namespace terrace::io
