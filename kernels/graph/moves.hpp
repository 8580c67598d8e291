// The rows by which warps move, and the rows that they read.
#pragma once

#include <optional>
#include <span>

#include "kernels/graph/graph.hpp"

namespace terrace::graph {

/// The smallest and the largest displacement along rows; the smallest is the larger one if all are NaN.
struct Moves {
  double smallest = 0, largest = 0;
};

/// The moves of a warp, if they are known; nullopt of other nodes. @param known as GraphSpec::known
std::optional<Moves> moves_of(const Graph& graph, const Node& node, std::span<const double> known);

/// The operand that has the displacements along rows of a warp; nullopt of other nodes.
std::optional<int> row_displacement(const Node& node);

/// The rows of an array of `extent` rows that rows of a warp read. @param type of the graph
Range rows_warped(ElementType type, i64 extent, Range rows, const Moves& moves);

}  // namespace terrace::graph
