// Operators: what they say that they read is all that they read, and their cells are as they are defined.
#include <catch2/catch.hpp>

#include "kernels/graph/cpu/node_rows.hpp"
#include "tests/differential/graph/samples.hpp"

namespace terrace::graph {
namespace {

using testing::drawn;
using testing::random_array;
using testing::same_bits;

/// The array without the values that an area does not mean.
template <class T>
Array<T> poisoned(Array<T> array, const Area& area, Boundary boundary) {
  Rows rows, columns;
  rows.add_inside(area.rows, array.shape.rows, boundary);
  columns.add_inside(area.columns, array.shape.columns, boundary);
  const auto holds = [](const Rows& set, i64 at) {
    return std::ranges::any_of(set.ranges(), [&](const Range& range) { return range.begin <= at && at < range.end; });
  };
  for (i64 i = 0; i < array.shape.rows; ++i) {
    for (i64 j = 0; j < array.shape.columns; ++j) {
      if (holds(rows, i) && holds(columns, j)) continue;
      array.values[static_cast<std::size_t>(i * array.shape.columns + j)] = std::numeric_limits<T>::quiet_NaN();
    }
  }
  return array;
}

Range random_range(testing::Random& random, i64 extent) {
  const int begin = drawn(random, 0, static_cast<int>(extent) - 1);
  return {begin, drawn(random, begin + 1, static_cast<int>(extent))};
}

/// The rows of an area by the CPU's rows, of operands of which all else is poisoned.
template <class T>
void check_area(testing::Random& random, const Graph& graph, const std::vector<Array<T>>& inputs,
                const Array<T>& expected, const std::vector<double>& known) {
  const Node& node = graph.nodes.front();
  const Area area{random_range(random, node.shape.rows), random_range(random, node.shape.columns)};
  Rows all;
  all.add({0, inputs.front().shape.rows});
  std::vector<Array<T>> arrays;
  for (std::size_t operand = 0; operand < inputs.size(); ++operand) {
    const Area reach = reach_of(graph, node, static_cast<int>(operand), area, known);
    arrays.push_back(poisoned(inputs[operand], reach, node.settings.boundary));
  }
  std::vector<StoredRows<T>> operands;
  for (Array<T>& array : arrays) operands.push_back({&all, array.values.data(), array.shape.columns});
  NodeRows<T> maker(graph, node, nullptr);
  maker.take_numbers(known.data());
  maker.keep_sums(drawn(random, 0, 1) == 1);
  typename NodeRows<T>::RowPointers pointers;
  std::vector<T> row(static_cast<std::size_t>(node.shape.columns));
  std::size_t different = 0;
  for (i64 i = area.rows.begin; i < area.rows.end; ++i) {
    maker.make_row(i, operands, pointers, row.data());
    for (i64 j = area.columns.begin; j < area.columns.end; ++j) {
      if (!same_bits(row[static_cast<std::size_t>(j)], expected.at(i, j))) ++different;
    }
  }
  CHECK(different == 0);
}

/// Compares random areas of the graph's one node with its definition.
template <class T>
void check_node(testing::Random& random, const Graph& graph, const std::vector<Array<T>>& inputs,
                const std::vector<double>& known = {}) {
  const Node& node = graph.nodes.front();
  std::vector<const Array<T>*> operands;
  for (const int operand : node.operands) operands.push_back(&inputs[static_cast<std::size_t>(operand)]);
  const Array<T> expected = node_as_defined(node, operands);
  const Shape shape = graph.inputs.front().shape;
  CAPTURE(operators()[static_cast<std::size_t>(node.op)].name, shape.rows, shape.columns,
          static_cast<int>(node.settings.boundary));
  for (int n = 0; n < 4; ++n) check_area(random, graph, inputs, expected, known);
}

template <class T>
void check_formula(testing::Random& random, Shape shape) {
  Graph graph;
  graph.type = element_type_of<T>();
  const std::vector<int> values = {0, 1, 2};
  graph.nodes.push_back(testing::random_formula(random, graph.type, shape, values));
  std::vector<Array<T>> inputs;
  for (int& operand : graph.nodes.front().operands) {
    operand = static_cast<int>(inputs.size());
    graph.inputs.push_back({"", graph.type, shape});
    inputs.push_back(random_array<T>(random, shape));
  }
  check_node(random, graph, inputs);
}

template <class T>
void check_operator(testing::Random& random, int op, Shape shape) {
  const OperatorInfo& info = operators()[static_cast<std::size_t>(op)];
  Graph graph;
  graph.type = element_type_of<T>();
  Node node;
  node.op = op;
  node.settings = testing::random_settings(random, info, shape);
  std::vector<Array<T>> inputs;
  for (int n = 0; n < info.operands + info.more; ++n) {
    graph.inputs.push_back({"", graph.type, shape});
    node.operands.push_back(n);
    inputs.push_back(random_array<T>(random, shape));
  }
  std::optional<Shape> wanted;
  if (info.takes_size)
    wanted = Shape{2 * shape.rows + drawn(random, -1, 1), 2 * shape.columns + drawn(random, -1, 1)};
  const std::vector<Shape> shapes(node.operands.size(), shape);
  if (wanted && !take_shape(node, shapes, wanted).empty()) wanted = std::nullopt;
  if (!take_shape(node, shapes, wanted).empty()) return;
  graph.nodes.push_back(node);
  check_node(random, graph, inputs);
}

TEST_CASE("operators read what they say, and give what is defined") {
  testing::Random random(20261129);
  for (int op = 0; op < Operators::size; ++op) {
    for (const Shape shape : testing::sample_shapes) {
      for (int n = 0; n < 12; ++n) {
        check_operator<float>(random, op, shape);
        check_operator<double>(random, op, shape);
      }
    }
  }
}

template <class T>
void check_warp(testing::Random& random, Shape shape, double low, double high) {
  Graph graph;
  graph.type = element_type_of<T>();
  graph.numbers = 2;
  Node node;
  node.op = find_operator("warp").value();
  node.operands = {0, 1, 2};
  node.settings.moves = {0, 1};
  REQUIRE(take_shape(node, {shape, shape, shape}, std::nullopt).empty());
  graph.nodes.push_back(node);
  for (int n = 0; n < 3; ++n) graph.inputs.push_back({"", graph.type, shape});
  const std::vector<Array<T>> inputs = {random_array<T>(random, shape), random_array<T>(random, shape),
                                        random_array<T>(random, shape, low, high)};
  check_node(random, graph, inputs,
             {reduced_as_defined(Measure::minimum_number, inputs[2]),
              reduced_as_defined(Measure::maximum_number, inputs[2])});
}

TEST_CASE("warps read the rows that known displacements allow") {
  testing::Random random(7);
  for (const Shape shape : testing::sample_shapes) {
    for (int n = 0; n < 40; ++n) {
      const double low = testing::drawn_number(random, -2.5, 2) * static_cast<double>(shape.rows);
      const double high = low + testing::drawn_number(random, 0, n % 2 == 0 ? 2 : static_cast<double>(shape.rows));
      check_warp<float>(random, shape, low, high);
      check_warp<double>(random, shape, low, high);
    }
  }
}

TEST_CASE("formulas read what they say, and give what is defined") {
  testing::Random random(1129);
  for (int n = 0; n < 60; ++n) {
    for (const Shape shape : testing::sample_shapes) {
      check_formula<float>(random, shape);
      check_formula<double>(random, shape);
    }
  }
}

/// One node of given numbers.
Array<double> made_by(const char* name, const NodeSettings& settings, const std::vector<Array<double>>& operands) {
  Node node;
  node.op = find_operator(name).value();
  node.settings = settings;
  std::vector<Shape> shapes;
  std::vector<const Array<double>*> pointers;
  for (const Array<double>& operand : operands) {
    shapes.push_back(operand.shape);
    pointers.push_back(&operand);
  }
  REQUIRE(take_shape(node, shapes, std::nullopt).empty());
  return node_as_defined(node, pointers);
}

TEST_CASE("the definitions give what is worked out by hand") {
  const Array<double> small{{2, 2}, {1, 2, 4, 8}};
  CHECK(made_by("downscale", {}, {small}).values == std::vector<double>{3.75});
  // Symmetric: 2 2 1 1 2 2 by 1 4 6 4 1 around the first value is 2 + 4 + 6 + 8 + 2 over 16.
  CHECK(made_by("pyramid_down", {}, {{{1, 2}, {1, 2}}}).values == std::vector<double>{22. / 16});
  CHECK(made_by("pyramid_up", {}, {{{1, 2}, {1, 2}}}).values ==
        std::vector<double>{1.125, 1.5, 1.875, 2, 1.125, 1.5, 1.875, 2});
  CHECK(made_by("upscale", {}, {{{1, 2}, {1, 2}}}).values ==
        std::vector<double>{1.25, 1.25, 1.75, 2, 1.25, 1.25, 1.75, 2});
  NodeSettings box;
  box.row_radius = box.column_radius = 1;
  CHECK(made_by("box_sum", box, {small}).values == std::vector<double>{24, 30, 36, 45});
  box.boundary = Boundary::value;
  CHECK(made_by("box_sum", box, {small}).values == std::vector<double>{15, 15, 15, 15});
  box.boundary = Boundary::edge;
  CHECK(made_by("box_sum", box, {small}).values == std::vector<double>{24, 30, 36, 45});
  box.boundary = Boundary::reflect;
  CHECK(made_by("box_sum", box, {small}).values == std::vector<double>{45, 36, 30, 24});
  NodeSettings gradient;
  gradient.row_radius = gradient.column_radius = 1, gradient.axis = 1;
  gradient.boundary = Boundary::edge;
  CHECK(made_by("sobel", gradient, {{{1, 3}, {0, 1, 2}}}).values == std::vector<double>{0.5, 1, 0.5});
  const Array<double> ramp{{1, 3}, {0, 1, 2}}, none{{1, 3}, {0, 0, 0}}, half{{1, 3}, {0.5, 0.5, 0.5}};
  CHECK(made_by("warp", {}, {ramp, half, none}).values == std::vector<double>{0.5, 1.5, 2});
  NodeSettings correlation;
  correlation.column_radius = 1, correlation.numbers = {1, 10, 100}, correlation.boundary = Boundary::periodic;
  CHECK(made_by("stencil", correlation, {ramp}).values == std::vector<double>{102, 210, 21});
}

}  // namespace
}  // namespace terrace::graph
