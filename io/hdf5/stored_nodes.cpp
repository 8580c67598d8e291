#include "io/hdf5/stored_nodes.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "io/hdf5/values.hpp"
#include "io/node_datasets.hpp"

namespace terrace::io {
namespace {

/// True if the file has the attribute by which results are known.
bool is_result(const Hdf5Handle& file) { return H5Aexists(file.get(), "identity") > 0; }

/// The group of a dataset, with a slash at its end.
std::string group_of_dataset(const Hdf5Handle& dataset) {
  std::string name(static_cast<std::size_t>(std::max<ssize_t>(0, H5Iget_name(dataset.get(), nullptr, 0))) + 1, '\0');
  if (H5Iget_name(dataset.get(), name.data(), name.size()) < 0) return {};
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? std::string() : name.substr(0, slash + 1);
}

std::optional<NodeNames::List> list_in(const Hdf5Handle& file, const std::string& path, std::int64_t count,
                                       const std::string& where) {
  if (H5Lexists(file.get(), path.c_str(), H5P_DEFAULT) <= 0) return std::nullopt;
  const std::string place = where + ", its names in " + path;
  const Hdf5Handle dataset(H5Dopen2(file.get(), path.c_str(), H5P_DEFAULT), place, "cannot be opened");
  const Hdf5Values values = values_of_dataset(dataset, place);
  if (static_cast<std::int64_t>(values.count()) != count) return std::nullopt;
  const H5T_class_t kind = H5Tget_class(values.type.get());
  if (kind == H5T_STRING) return read_strings(values);
  if (kind != H5T_INTEGER) return std::nullopt;
  NodeNames::Numbers numbers(static_cast<std::size_t>(count));
  values.read(H5T_NATIVE_INT64, numbers.data());
  return numbers;
}

/// The names of `count` nodes in a group; null if it has none.
std::shared_ptr<const NodeNames> names_in(const Hdf5Handle& file, const std::string& group, std::int64_t count,
                                          const std::string& where) {
  std::optional<NodeNames::List> names = list_in(file, group + node_dataset, count, where);
  if (!names) return nullptr;
  std::optional<NodeNames::List> ids = list_in(file, group + node_id_dataset, count, where);
  return names_from_datasets(*std::move(names), std::move(ids));
}

}  // namespace

StoredNodes stored_nodes(const Hdf5Handle& file, const Hdf5Handle& dataset, const Extents& shape,
                         const std::string& where) {
  const std::string group = group_of_dataset(dataset);
  if (group.empty() || !is_result(file)) return {};
  if (const auto sources = list_in(file, group + source_dataset, shape[0], where)) {
    auto nodes = names_in(file, group, shape[1], where);
    auto rows = nodes ? rows_from_dataset(*sources, *nodes) : nullptr;
    if (rows) return {std::move(nodes), std::move(rows)};
  }
  return {names_in(file, group, shape[0], where), nullptr};
}

}  // namespace terrace::io
