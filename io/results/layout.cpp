#include "io/results/layout.hpp"

#include <algorithm>
#include <set>

#include "pipeline/base/error.hpp"

namespace terrace::io {

namespace {

[[noreturn]] void refuse(const DatasetSpec& dataset, const std::string& what) {
  throw Error("result dataset " + dataset.path + ": " + what);
}

void check_name(const DatasetSpec& dataset) {
  const std::string& path = dataset.path;
  const bool absolute = path.size() > 1 && path.front() == '/' && path.back() != '/';
  if (!absolute || path.find("//") != std::string::npos || path.find('\0') != std::string::npos) {
    refuse(dataset, "is no absolute path");
  }
  const bool scalar = dataset.shape.rank() == 0;
  if (!scalar && static_cast<int>(dataset.dimensions.size()) != dataset.shape.rank()) {
    refuse(dataset, "has " + std::to_string(dataset.dimensions.size()) + " names for " +
                        std::to_string(dataset.shape.rank()) + " dimensions");
  }
  for (const std::int64_t length : dataset.shape) {
    if (length < 0) refuse(dataset, "has a negative extent: " + to_string(dataset.shape));
  }
}

/// Beyond this HDF5 has no addresses, and sums of sizes could not be counted.
constexpr std::int64_t most_bytes = std::int64_t{1} << 61;

void check_bytes(const std::vector<DatasetSpec>& datasets) {
  std::int64_t left = most_bytes;
  for (const DatasetSpec& dataset : datasets) {
    const bool empty = std::find(dataset.shape.begin(), dataset.shape.end(), 0) != dataset.shape.end();
    auto bytes = static_cast<std::int64_t>(size_of(dataset.type));
    bool fits = true;
    for (const std::int64_t length : dataset.shape) fits = fits && !__builtin_mul_overflow(bytes, length, &bytes);
    if (empty) continue;
    if (!fits || bytes > left) refuse(dataset, "of " + to_string(dataset.shape) + " is larger than any file can be");
    left -= bytes;
  }
}

void add_dimensions(const DatasetSpec& dataset, std::map<std::string, Dimension>& dimensions) {
  for (int d = 0; d < dataset.shape.rank(); ++d) {
    const std::string& name = dataset.dimensions[static_cast<std::size_t>(d)];
    if (name.empty() || name.find('/') != std::string::npos) refuse(dataset, "has a dimension without a fit name");
    const auto [at, added] = dimensions.try_emplace(name, Dimension{dataset.shape[d], false});
    if (!added && at->second.length != dataset.shape[d]) {
      refuse(dataset, "dimension " + name + " is " + std::to_string(dataset.shape[d]) + " long here and " +
                          std::to_string(at->second.length) + " elsewhere in its group");
    }
  }
}

}  // namespace

std::string group_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of_path(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Dimensions check_layout(const std::vector<DatasetSpec>& datasets) {
  Dimensions dimensions;
  std::set<std::string> paths;
  for (const DatasetSpec& dataset : datasets) {
    check_name(dataset);
    if (!paths.insert(dataset.path).second) refuse(dataset, "comes twice");
    add_dimensions(dataset, dimensions[group_of(dataset.path)]);
  }
  check_bytes(datasets);
  for (const DatasetSpec& dataset : datasets) {
    auto& group = dimensions[group_of(dataset.path)];
    const auto same_name = group.find(name_of_path(dataset.path));
    if (same_name == group.end()) continue;
    if (dataset.shape.rank() != 1 || dataset.dimensions[0] != same_name->first) {
      refuse(dataset, "has the name of a dimension of its group and is not its coordinate");
    }
    same_name->second.has_variable = true;
  }
  return dimensions;
}

}  // namespace terrace::io
