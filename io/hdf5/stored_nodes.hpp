// The names of nodes that a result has beside the tables of a stage which was made of a graph.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/hdf5/handle.hpp"
#include "io/node_names.hpp"
#include "pipeline/base/box.hpp"

namespace terrace::io {

/// Source::nodes() and Source::sources() of a table.
struct StoredNodes {
  std::shared_ptr<const NodeNames> nodes;
  std::shared_ptr<const std::vector<std::int64_t>> sources;
};

/// What the group of a dataset of rank 2 says of the nodes of its rows and columns; nulls if the file is no result of
/// Terrace, or has no names of as many nodes there. @throws IoError if they are damaged
StoredNodes stored_nodes(const Hdf5Handle& file, const Hdf5Handle& dataset, const Extents& shape,
                         const std::string& where);

}  // namespace terrace::io
