// Graphs and arrays at random.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/graph/graph.hpp"
#include "kernels/graph/iteration.hpp"
#include "kernels/graph/node_formula.hpp"
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
Array<T> random_array(Random& random, Shape shape, double low = -2, double high = 2) {
  Array<T> made{shape, {}};
  for (i64 n = 0; n < shape.rows * shape.columns; ++n) {
    made.values.push_back(static_cast<T>(drawn_number(random, low, high)));
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
  if (name == "threshold" || name == "harris" || name == "constant") add_numbers(1);
  if (name == "sobel") made.axis = drawn(random, 0, 1), made.row_radius = made.column_radius = 1;
  if (name == "peaks") made.row_radius = made.column_radius = 1;
  if (name == "box_sum") made.row_radius = made.column_radius = radius(std::min(shape.rows, shape.columns));
  if (name == "stencil") {
    made.row_radius = radius(shape.rows), made.column_radius = radius(shape.columns);
    made.is_separable = drawn(random, 0, 1) == 1;
    const int height = 2 * made.row_radius + 1, width = 2 * made.column_radius + 1;
    add_numbers(made.is_separable ? height + width : height * width);
  }
  return made;
}

/// The operators that are one header each: those that a job does not write itself.
inline int drawn_operator(Random& random) {
  for (;;) {
    const int op = drawn(random, 0, static_cast<int>(operators().size()) - 1);
    const OwnKey key = operators()[static_cast<std::size_t>(op)].own_key;
    if (key == OwnKey::arrays || key == OwnKey::number) return op;
  }
}

/// A node that is named after its number.
inline Node random_node(Random& random, const Graph& graph) {
  Node node;
  node.name = "n" + std::to_string(graph.nodes.size());
  for (;;) {
    node.op = drawn_operator(random);
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

/// A formula of operands a, b, ... in words.
inline std::string random_expression(Random& random, int operands, int depth) {
  const auto inner = [&] { return random_expression(random, operands, depth - 1); };
  const int kind = depth == 0 ? drawn(random, 0, 3) : drawn(random, 4, 11);
  const std::string operand(1, static_cast<char>('a' + drawn(random, 0, operands - 1)));
  const auto offset = [&] { return std::to_string(drawn(random, -2, 2)); };
  if (kind == 0) return std::to_string(drawn(random, 1, 9)) + "." + std::to_string(drawn(random, 0, 99));
  if (kind <= 2) return operand + "[" + offset() + ", " + offset() + "]";
  if (kind == 3) return drawn(random, 0, 3) == 0 ? "((i - 2*j + size(0)) * 0.5)" : operand;
  if (kind <= 7) return "(" + inner() + " " + "+-*/"[kind - 4] + " " + inner() + ")";
  if (kind == 8) return "min(" + inner() + ", " + inner() + ", " + inner() + ")";
  if (kind == 9) return "abs(" + inner() + ")";
  if (kind == 10) return "if(" + inner() + " < " + inner() + ", " + inner() + ", " + inner() + ")";
  return "fma(" + inner() + ", " + operand + ", " + inner() + ")";
}

/// A node of operator `formula` whose operands are of a shape.
inline Node random_formula(Random& random, ElementType type, Shape shape, const std::vector<int>& values) {
  Node node;
  node.op = find_operator("formula").value();
  std::vector<std::string> names;
  for (int count = drawn(random, 1, 3); count > 0; --count) {
    names.push_back(std::string(1, static_cast<char>('a' + names.size())));
    node.operands.push_back(values[static_cast<std::size_t>(drawn(random, 0, static_cast<int>(values.size()) - 1))]);
  }
  const std::vector<Shape> shapes(names.size(), shape);
  do {
    const std::string text = random_expression(random, static_cast<int>(names.size()), drawn(random, 0, 3));
    node.settings = settings_of(parse_node_formula(text, names, shape, type), Boundary(drawn(random, 0, 4)),
                                drawn_number(random, -1, 1));
  } while (!take_shape(node, shapes, std::nullopt).empty());
  return node;
}

/// The values of a graph that have a shape.
inline std::vector<int> values_of_shape(const Graph& graph, Shape shape) {
  std::vector<int> found;
  for (int value = 0; value < graph.values(); ++value) {
    if (graph.shape(value) == shape) found.push_back(value);
  }
  return found;
}

/// Adds the nodes of an iteration.
inline void add_random_iteration(Random& random, Graph& graph) {
  const Shape shape = graph.shape(drawn(random, 0, graph.values() - 1));
  const std::vector<int> alike = values_of_shape(graph, shape);
  const auto one_of = [&](const std::vector<int>& values) {
    return values[static_cast<std::size_t>(drawn(random, 0, static_cast<int>(values.size()) - 1))];
  };
  auto iteration = std::make_shared<Iteration>();
  iteration->body.type = graph.type;
  iteration->times = drawn(random, 0, 6);
  const int states = drawn(random, 1, 3), others = drawn(random, 0, 2);
  Node node;
  node.op = find_operator("iterate").value();
  for (int n = 0; n < states + others; ++n) {
    node.operands.push_back(one_of(alike));
    iteration->body.inputs.push_back({"", graph.type, shape});
  }
  Graph& body = iteration->body;
  for (int count = drawn(random, 1, 4); count > 0; --count) {
    Node inner = random_node(random, body);
    while (!may_iterate(operators()[static_cast<std::size_t>(inner.op)])) inner = random_node(random, body);
    if (drawn(random, 0, 1) == 0) inner = random_formula(random, graph.type, shape, values_of_shape(body, shape));
    body.nodes.push_back(inner);
  }
  for (int state = 0; state < states; ++state) {
    const int last = body.values() - 1;
    iteration->next.push_back(drawn(random, 0, 3) == 0 ? drawn(random, 0, last) : last);
  }
  complete(*iteration);
  for (int state = 0; state < states; ++state) {
    node.settings = settings_of(iteration, state);
    node.name = "n" + std::to_string(graph.nodes.size());
    node.shape = shape;
    graph.nodes.push_back(node);
  }
}

/// An iteration whose states are read by rows, and a graph that reads its result.
inline Graph iterated_graph(Random& random, ElementType type, Shape shape) {
  Graph graph;
  graph.type = type;
  for (const char* name : {"a", "b", "c"}) graph.inputs.push_back({name, type, shape});
  add_random_iteration(random, graph);
  const int states = graph.values() - 3;
  for (int state = 0; state < states; ++state) {
    Node node;
    node.name = "sum";
    node.op = find_operator("add").value();
    node.operands = {3 + state, drawn(random, 0, 2)};
    node.shape = shape;
    graph.nodes.push_back(node);
    graph.kept.push_back({graph.values() - 1, type});
  }
  graph.kept.push_back({3, type});
  return graph;
}

/// A graph of which some nodes are formulas and iterations.
inline Graph random_written_graph(Random& random, ElementType type, Shape shape, int nodes) {
  Graph graph = random_graph(random, type, shape, 1);
  for (int n = 0; n < nodes; ++n) {
    const int kind = drawn(random, 0, 2);
    const Shape own = graph.shape(drawn(random, 0, graph.values() - 1));
    if (kind == 0) graph.nodes.push_back(random_node(random, graph));
    if (kind == 1) graph.nodes.push_back(random_formula(random, type, own, values_of_shape(graph, own)));
    if (kind == 2) add_random_iteration(random, graph);
    graph.kept.push_back({graph.values() - 1, type});
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
