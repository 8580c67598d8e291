// The names of nodes that a result has beside the tables of a stage which was made of a graph.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/hdf5/handle.hpp"
#include "io/node_names.hpp"

namespace terrace::io {

/// The names in the group of a dataset; null if the file is no result of Terrace, or has none of `count` nodes there.
/// @throws IoError if they are damaged
std::shared_ptr<const NodeNames> stored_nodes(const Hdf5Handle& file, const Hdf5Handle& dataset, std::int64_t count,
                                              const std::string& where);

}  // namespace terrace::io
