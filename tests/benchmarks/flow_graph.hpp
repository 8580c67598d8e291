// The iteration of optical flow by Horn and Schunck, as a graph for benchmarks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/graph/iteration.hpp"
#include "kernels/graph/node_formula.hpp"
#include "kernels/graph/operators.hpp"

namespace terrace::graph {

/// A node whose cells are a formula of values of one shape.
inline Node formula_node(const std::string& text, const std::vector<std::string>& names,
                         const std::vector<int>& operands, Shape shape, Boundary boundary) {
  Node node;
  node.name = "formula";
  node.op = find_operator("formula").value();
  node.operands = operands;
  node.settings = settings_of(parse_node_formula(text, names, shape, ElementType::f32), boundary);
  node.shape = shape;
  return node;
}

/// Steps of the flow from u and v on, with derivatives x, y and z: inputs of the graph, which keeps u.
/// @param is_fast true: the derivatives count as divided by the root of their divisor
inline Graph flow_graph(Shape shape, i64 times, bool is_fast) {
  Graph graph;
  auto iteration = std::make_shared<Iteration>();
  iteration->times = times;
  const std::vector<std::string> names = {"u", "v", "x", "y", "z", "d"};
  for (const std::string& name : names) {
    iteration->body.inputs.push_back({name, ElementType::f32, shape});
    if (name != "d") graph.inputs.push_back({name, ElementType::f32, shape});
  }
  graph.nodes.push_back(formula_node("x*x + y*y + 0.2", {"x", "y"}, {2, 3}, shape, Boundary::edge));
  std::vector<int> operands = {0, 1, 2, 3, 4, 5};
  for (int n = 2; is_fast && n < 5; ++n) {
    operands[static_cast<std::size_t>(n)] = graph.values();
    graph.nodes.push_back(formula_node("x / sqrt(d)", {"x", "d"}, {n, 5}, shape, Boundary::edge));
  }
  const auto mean = [](const std::string& of) {
    return "((" + of + "[0, -1] + " + of + "[0, 1] + " + of + "[1, 0] + " + of + "[-1, 0]) * 0.25)";
  };
  const std::string u = mean("u"), v = mean("v");
  const std::string exact = "((x*" + u + " + y*" + v + " + z) / d)", fast = "fma(x, " + u + ", fma(y, " + v + ", z))";
  const std::vector<std::string> texts =
      is_fast ? std::vector{"fma(-x, " + fast + ", " + u + ")", "fma(-y, " + fast + ", " + v + ")"}
              : std::vector{u + " - x*" + exact, v + " - y*" + exact};
  for (const std::string& text : texts) {
    iteration->next.push_back(iteration->body.values());
    iteration->body.nodes.push_back(formula_node(text, names, {0, 1, 2, 3, 4, 5}, shape, Boundary::edge));
  }
  complete(*iteration);
  for (int state = 0; state < 2; ++state) {
    Node node;
    node.name = "flow";
    node.op = find_operator("iterate").value();
    node.operands = operands;
    node.settings = settings_of(iteration, state);
    node.shape = shape;
    graph.nodes.push_back(node);
  }
  graph.kept = {{graph.values() - 2, ElementType::f32}};
  return graph;
}

}  // namespace terrace::graph
