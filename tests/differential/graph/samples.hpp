// Graphs and arrays at random.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/graph/graph.hpp"
#include "kernels/graph/operators.hpp"
#include "kernels/graph/reference/reference.hpp"

namespace terrace::graph::testing {

using Random = std::mt19937;

inline int drawn(Random& random, int first, int last) {
  return std::uniform_int_distribution<int>(first, last)(random);
}
inline double drawn_number(Random& random, double first, double last) {
  return std::uniform_real_distribution<double>(first, last)(random);
}

template <class T>
Array<T> random_array(Random& random, Shape shape) {
  Array<T> made{shape, {}};
  for (i64 n = 0; n < shape.rows * shape.columns; ++n) {
    made.values.push_back(static_cast<T>(drawn_number(random, -2, 2)));
  }
  return made;
}

/// Parameters for an operator whose operands have a shape.
inline NodeSettings random_settings(Random& random, const OperatorInfo& info, Shape shape) {
  const std::string name = info.name;
  NodeSettings made;
  made.boundary = static_cast<Boundary>(drawn(random, 0, 4));
  made.boundary_value = drawn_number(random, -1, 1);
  const auto radius = [&](i64 extent) { return static_cast<int>(std::min<i64>(extent, drawn(random, 0, 4))); };
  const auto add_numbers = [&](int count) {
    for (int n = 0; n < count; ++n) made.numbers.push_back(drawn_number(random, -1, 1));
  };
  if (name == "scale") add_numbers(2);
  if (name == "threshold" || name == "harris") add_numbers(1);
  if (name == "sobel") made.axis = drawn(random, 0, 1), made.row_radius = made.column_radius = 1;
  if (name == "box_sum") made.row_radius = made.column_radius = radius(std::min(shape.rows, shape.columns));
  if (name == "stencil") {
    made.row_radius = radius(shape.rows), made.column_radius = radius(shape.columns);
    made.is_separable = drawn(random, 0, 1) == 1;
    const int height = 2 * made.row_radius + 1, width = 2 * made.column_radius + 1;
    add_numbers(made.is_separable ? height + width : height * width);
  }
  return made;
}

/// A node that is named after its number.
inline Node random_node(Random& random, const Graph& graph) {
  Node node;
  node.name = "n" + std::to_string(graph.nodes.size());
  for (;;) {
    node.op = drawn(random, 0, static_cast<int>(operators().size()) - 1);
    const OperatorInfo& info = operators()[static_cast<std::size_t>(node.op)];
    if (info.is_reduction) continue;
    const int first = drawn(random, 0, graph.values() - 1);
    const Shape shape = graph.shape(first);
    std::vector<int> alike;
    for (int value = 0; value < graph.values(); ++value) {
      if (graph.shape(value) == shape) alike.push_back(value);
    }
    node.operands = {first};
    while (static_cast<int>(node.operands.size()) < info.operands + info.more) {
      node.operands.push_back(alike[static_cast<std::size_t>(drawn(random, 0, static_cast<int>(alike.size()) - 1))]);
    }
    node.settings = random_settings(random, info, shape);
    std::optional<Shape> wanted;
    if (info.takes_size)
      wanted = Shape{2 * shape.rows + drawn(random, -1, 1), 2 * shape.columns + drawn(random, -1, 1)};
    const std::vector<Shape> shapes(node.operands.size(), shape);
    if (wanted && take_shape(node, shapes, wanted).empty()) return node;
    if (take_shape(node, shapes, std::nullopt).empty()) return node;
  }
}

/// A graph of up to so many nodes, of which some are kept: the last one, and others.
inline Graph random_graph(Random& random, ElementType type, Shape shape, int nodes) {
  Graph graph;
  graph.type = type;
  for (int n = drawn(random, 1, 3); n > 0; --n) {
    graph.inputs.push_back({"i" + std::to_string(n), type, shape});
  }
  for (int n = 0; n < nodes; ++n) graph.nodes.push_back(random_node(random, graph));
  for (int value = static_cast<int>(graph.inputs.size()); value < graph.values(); ++value) {
    if (value + 1 == graph.values() || drawn(random, 0, 3) == 0) graph.kept.push_back({value, type});
  }
  return graph;
}

template <class T>
bool same_bits(T a, T b) {
  return a == b ? std::signbit(a) == std::signbit(b) : std::isnan(a) && std::isnan(b);
}

/// The sizes of arrays that graphs are tried at: small, odd, flat, tall.
inline constexpr Shape sample_shapes[] = {{2, 2}, {3, 3}, {2, 3}, {1, 1}, {7, 13}, {32, 33}, {3, 100}, {101, 2}};

}  // namespace terrace::graph::testing
