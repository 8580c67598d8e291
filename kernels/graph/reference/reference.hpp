// Graphs as they are defined: whole arrays, node after node.
#pragma once

#include <vector>

#include "kernels/graph/graph.hpp"

namespace terrace::graph {

/// A whole array, row by row.
template <class T>
struct Array {
  Shape shape;
  std::vector<T> values;

  T at(i64 i, i64 j) const { return values[static_cast<std::size_t>(i * shape.columns + j)]; }
};

/// All values of a graph: the inputs, as they are given, then the nodes. @param inputs as values of the graph's type
template <class T>
std::vector<Array<T>> compute_as_defined(const Graph& graph, std::vector<Array<T>> inputs);

/// One node. @param operands whole arrays, in their order
template <class T>
Array<T> node_as_defined(const Node& node, const std::vector<const Array<T>*>& operands);

/// The number of Reduce.
template <class T>
double reduced_as_defined(Measure measure, const Array<T>& array);

/// The counts of Histogram.
template <class T>
std::vector<i64> counted_as_defined(const Histogram& bins, const Array<T>& array);

/// The memory of the result of Positions.
template <class T>
std::vector<i64> listed_as_defined(const Positions& positions, const Array<T>& array);

}  // namespace terrace::graph
