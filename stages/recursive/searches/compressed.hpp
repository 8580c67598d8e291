// The edges of a graph as searches pass over them.
#pragma once

#include <memory>

#include "kernels/recursive/searches.hpp"
#include "stages/recursive/distance_proof.hpp"
#include "stages/recursive/weights.hpp"

namespace terrace::stages {

/// A graph's edges, node by node, and the range of their weights.
struct Compressed {
  std::shared_ptr<const recursive::SearchGraph> graph;
  FoundDistances found;  // of distances nothing
};

/// Compresses the edges of a matrix that io::is_graph(), for distances of that type. Edges from a node to itself are
/// left out where a node's distance to itself is zero, unless they are negative.
/// @throws io::DataError of a weight that the type does not hold
Compressed compress(const io::Source& matrix, ElementType value, const WeightRules& rules);

}  // namespace terrace::stages
