// Graphs as they are defined: whole arrays, node after node.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/graph/cells.hpp"

namespace terrace::graph {

/// An array, or some of its cells, row by row.
template <class T>
struct Array {
  Shape shape;
  std::vector<T> values;
  std::optional<Cells> part = std::nullopt;  // the cells that are there; nullopt: all

  T at(i64 i, i64 j) const {
    return values[part ? part->number_of(i, j) : static_cast<std::size_t>(i * shape.columns + j)];
  }
};

/// All values of a graph: the inputs, as they are given, then the nodes. @param inputs as values of the graph's type
template <class T>
std::vector<Array<T>> compute_as_defined(const Graph& graph, std::vector<Array<T>> inputs);

/// One node. @param operands whole arrays, in their order
template <class T>
Array<T> node_as_defined(const Node& node, const std::vector<const Array<T>*>& operands);

/// Cells of a node that is no iteration. @param operands with all cells that these read
template <class T>
Array<T> cells_as_defined(const Node& node, const std::vector<const Array<T>*>& operands, const Cells& cells);

/// The number of Reduce.
template <class T>
double reduced_as_defined(Measure measure, const Array<T>& array);
/// The same of the rows so far and one more. @param before of the rows so far; nullopt: there are none
template <class T>
double reduced_as_defined(Measure measure, std::optional<double> before, std::span<const T> row);

/// The counts of Histogram.
template <class T>
std::vector<i64> counted_as_defined(const Histogram& bins, const Array<T>& array);

/// The memory of the result of Positions.
template <class T>
std::vector<i64> listed_as_defined(const Positions& positions, const Array<T>& array);

}  // namespace terrace::graph
