// Some cells of random graphs, made from the cells of inputs on which they depend, against whole arrays.
#include "kernels/graph/window.hpp"

#include <catch2/catch.hpp>

#include "tests/differential/graph/samples.hpp"

namespace terrace::graph {
namespace {

using testing::drawn;
using testing::random_array;
using testing::same_bits;

constexpr WindowLimits no_limits{1e18, 1e18};

Range random_range(testing::Random& random, i64 extent) {
  const int begin = drawn(random, 0, static_cast<int>(extent) - 1);
  return {begin, drawn(random, begin + 1, static_cast<int>(extent))};
}

template <class T>
std::vector<T> cells_of(const Array<T>& array, const Cells& cells) {
  std::vector<T> values;
  for (i64 row = 0; row < cells.rows.size(); ++row) {
    for (i64 column = 0; column < cells.columns.size(); ++column) {
      values.push_back(array.at(cells.rows[row], cells.columns[column]));
    }
  }
  return values;
}

/// Makes random areas of a random value, one after another by the same window. A cell that is read and was not made
/// is an error.
template <class T>
void check_cells(testing::Random& random, const Graph& graph) {
  std::vector<Array<T>> inputs;
  for (const Input& input : graph.inputs) inputs.push_back(random_array<T>(random, input.shape));
  const std::vector<Array<T>> expected = compute_as_defined(graph, inputs);
  const auto read = [&](int input, const Cells& cells) {
    return cells_of(inputs[static_cast<std::size_t>(input)], cells);
  };
  Window<T> window(graph, read, {}, no_limits, nullptr);
  for (int n = 0; n < 4; ++n) {
    const int value = drawn(random, 0, graph.values() - 1);
    const Shape shape = graph.shape(value);
    const Cells cells = Cells::of({random_range(random, shape.rows), random_range(random, shape.columns)});
    const std::vector<T> made = cells_of(window.make(value, cells), cells);
    const std::vector<T> whole = cells_of(expected[static_cast<std::size_t>(value)], cells);
    CAPTURE(shape.rows, shape.columns, value);
    CHECK(std::ranges::equal(made, whole, same_bits<T>));
  }
}

TEST_CASE("cells of random graphs are those of whole arrays") {
  testing::Random random(41);
  for (int n = 0; n < 20; ++n) {
    for (const Shape shape : testing::sample_shapes) {
      check_cells<float>(random, testing::random_graph(random, ElementType::f32, shape, drawn(random, 1, 12)));
      check_cells<double>(random, testing::random_graph(random, ElementType::f64, shape, drawn(random, 1, 12)));
    }
  }
}

TEST_CASE("cells of random graphs of formulas and iterations are those of whole arrays") {
  testing::Random random(42);
  for (int n = 0; n < 20; ++n) {
    for (const Shape shape : testing::sample_shapes) {
      check_cells<float>(random, testing::random_written_graph(random, ElementType::f32, shape, drawn(random, 1, 6)));
      check_cells<double>(random,
                          testing::random_written_graph(random, ElementType::f64, shape, drawn(random, 1, 6)));
    }
  }
}

/// A graph of an iteration of one formula.
Graph iterated(const std::string& text, Boundary boundary, Shape shape, i64 times) {
  Graph graph;
  graph.inputs.push_back({"a", ElementType::f32, shape});
  auto iteration = std::make_shared<Iteration>();
  iteration->body.inputs.push_back({"x", ElementType::f32, shape});
  Node node;
  node.op = find_operator("formula").value();
  node.operands = {0};
  node.settings = settings_of(parse_node_formula(text, {"x"}, shape, ElementType::f32), boundary);
  node.shape = shape;
  iteration->body.nodes.push_back(node);
  iteration->next = {1};
  iteration->times = times;
  complete(*iteration);
  node.op = find_operator("iterate").value();
  node.settings = settings_of(iteration, 0);
  graph.nodes.push_back(node);
  return graph;
}

TEST_CASE("steps reach around either end") {
  testing::Random random(43);
  for (const Boundary boundary : {Boundary::symmetric, Boundary::edge, Boundary::reflect, Boundary::periodic}) {
    for (const char* text : {"x[-1, 0] + 0.5*x[0, 2]", "x[0, -1] - 0.25*x[2, 1]"}) {
      for (const i64 times : {0, 1, 5, 90}) {
        for (int n = 0; n < 3; ++n) check_cells<float>(random, iterated(text, boundary, {23, 31}, times));
      }
    }
  }
}

TEST_CASE("work beyond the limits is not begun") {
  const Graph graph = iterated("(x[-1, 0] + x[1, 0] + x[0, -1] + x[0, 1])/4", Boundary::edge, {3000, 3000}, 100);
  const Cells cells = Cells::of({{1500, 1501}, {1500, 1501}});
  const WindowLimits work = work_of_cells(graph, 1, cells);
  // Sums of (2 s + 1)^2 cells, s from 0 to 99, each of a few operations of vectors.
  CHECK(work.operations > 0.125 * 1333300);
  CHECK(work.operations < 2 * 1333300);
  const auto read = [](int, const Cells& wanted) {
    return std::vector<float>(static_cast<std::size_t>(wanted.count()));
  };
  Window<float> window(graph, read, {}, {work.operations / 2, 1e9}, nullptr);
  CHECK_THROWS_AS(window.make(1, cells), TooMuchWork);
}

}  // namespace
}  // namespace terrace::graph
