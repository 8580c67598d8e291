// Reads and operations of the members of clusters.
#pragma once

#include <vector>

#include "kernels/graph/graph.hpp"

namespace terrace::graph {

/// So far around its own place a node reads an operand, and all of them.
Shape radius_of(const Graph& graph, const Node& node, std::size_t operand);
Shape radius_of(const Graph& graph, const Node& node);

/// True if a node's rows are summed first.
bool sums_rows(const Node& node);

/// Values that a cell reads.
i64 terms_of(const Node& node, Shape radius);

/// Instructions of a cell of all of these nodes, about: formulas that have operations in common share them.
double operations_of(const Graph& graph, const std::vector<int>& nodes);

}  // namespace terrace::graph
