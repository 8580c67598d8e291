// From the nodes of a file to the rows of a matrix.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/inputs/graph.hpp"

namespace terrace::io {

/// The nodes of a matrix, by row.
struct Nodes {
  std::shared_ptr<const NodeNames> names;
  std::int64_t left_out = 0;  // numbers from 0 on without an edge, by a default that the job leaves as it is
  std::int64_t first = 0;     // number from which nodes are counted: 1 where 1 is the least that has an edge
};

/// Turns the file's numbers of nodes in the list of edges into rows, as the setting `nodes` says.
/// @throws JobError if the file has more nodes than the job says; IoError if edges name nodes that are not there
Nodes number_nodes(EdgeList& list, const Settings& settings, const std::string& path);

}  // namespace terrace::io
