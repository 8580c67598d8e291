// Distances and paths of pairs of nodes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/data_error.hpp"
#include "pipeline/base/watch.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

using NodePair = std::array<std::int64_t, 2>;

/// The rows of nodes of which the array holds the ids, two after another.
/// @throws IoError naming the number that is no node, and what the watch throws
std::vector<NodePair> read_pairs(io::Source& source, const io::DataLabel& label, const io::NodeNames& nodes,
                                 const Watch& watch);

/// The rows of nodes by their names or ids, two after another. @throws Error naming the one that is no node
std::vector<NodePair> find_pairs(const std::vector<std::string>& names, const io::NodeNames& nodes);

/// The pairs that a step asks about. @param nodes of the matrix @throws JobError
std::vector<NodePair> pairs_of(const Request& request, const io::NodeNames& nodes);

/// The names of a matrix's nodes; the numbers of its rows if it has none.
std::shared_ptr<const io::NodeNames> nodes_of(const io::Source& matrix);

/// The elements of a table at the pairs, as they lie in memory.
std::vector<std::byte> elements_at(io::Source& table, const std::vector<NodePair>& pairs);

/// Paths one after another.
struct FollowedPaths {
  std::vector<std::int64_t> nodes;  // rows
  std::vector<std::int64_t> begin;  // of each path in `nodes`, and the end
};

/// Follows the next nodes of each pair, element by element. @param name of the table, for errors
/// @throws ComputeError if they lead nowhere
FollowedPaths follow(io::Source& next, const std::string& name, const std::vector<NodePair>& pairs);

}  // namespace terrace::stages
