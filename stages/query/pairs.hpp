// Distances and paths of pairs of nodes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "io/data_error.hpp"
#include "pipeline/base/watch.hpp"

namespace terrace::stages {

using NodePair = std::array<std::int64_t, 2>;

/// Whole numbers, two after another, each in [0, nodes). @throws IoError naming the number that is wrong, and what
/// the watch throws
std::vector<NodePair> read_pairs(io::Source& source, const io::DataLabel& label, std::int64_t nodes,
                                 const Watch& watch);

/// The elements of a table at the pairs, as they lie in memory.
std::vector<std::byte> elements_at(io::Source& table, const std::vector<NodePair>& pairs);

/// Paths one after another.
struct FollowedPaths {
  std::vector<std::int64_t> nodes;
  std::vector<std::int64_t> begin;  // of each path in `nodes`, and the end
};

/// Follows the next nodes of each pair, element by element. @param name of the table, for errors
/// @throws ComputeError if they lead nowhere
FollowedPaths follow(io::Source& next, const std::string& name, const std::vector<NodePair>& pairs);

}  // namespace terrace::stages
