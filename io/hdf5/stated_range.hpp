// The range of values that attributes of a dataset state.
#pragma once

#include <optional>
#include <string>

#include "io/hdf5/handle.hpp"
#include "io/known_range.hpp"

namespace terrace::io {

/// The range by the conventions of CF and netCDF, or nullopt if the dataset states none: `actual_range`, else
/// `valid_range` (two numbers each, the lesser first), else `valid_min` and `valid_max`, each of which may be absent;
/// `_FillValue` and `missing_value` stand beside it. Attributes of another form, or damaged, are passed over, and so
/// are all of a dataset of packed values (`scale_factor`, `add_offset`, `_Unsigned`), of which they may mean the
/// unpacked ones.
/// @param type of the elements as they are read @param where file and dataset
std::optional<KnownRange> stated_range(const Hdf5Handle& dataset, ElementType type, const std::string& where);

}  // namespace terrace::io
