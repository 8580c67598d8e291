// Names in a result file: paths, groups, and which dimension scales a group needs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/results/file.hpp"

namespace terrace::io {

/// The beginning of the name that netCDF gives to a scale which only stands for a dimension's length.
inline constexpr const char* no_variable = "This is a netCDF dimension but not a netCDF variable.";

/// "/align" of "/align/table"; "/" of "/table".
std::string group_of(const std::string& path);
/// "table" of "/align/table".
std::string name_of_path(const std::string& path);

/// The dimensions of one group.
struct Dimension {
  std::int64_t length = 0;
  bool has_variable = false;  // a one-dimensional dataset of the same name is its scale
};
/// By group, then by name.
using Dimensions = std::map<std::string, std::map<std::string, Dimension>>;

/// @throws Error naming the dataset if a path is no absolute path of non-empty names, a path comes twice, the number
/// of names is not the rank, a dimension has two lengths, or a dimension has the name of a dataset that cannot be its
/// scale
Dimensions check_layout(const std::vector<DatasetSpec>& datasets);

}  // namespace terrace::io
