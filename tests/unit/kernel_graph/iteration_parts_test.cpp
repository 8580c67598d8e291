// Graphs whose iterations are cut into parts of some steps give what they give as a whole.
#include "stages/kernel_graph/iteration_parts.hpp"

#include <catch2/catch.hpp>

#include "tests/differential/graph/samples.hpp"

namespace terrace::stages {
namespace {

using graph::Array;
using graph::Graph;
using graph::testing::drawn;
using Arrays = std::vector<Array<double>>;

/// The arrays of all parts, each computed by the definition as often as it is to be.
Arrays compute_parts(const GraphParts& parts, const Arrays& inputs) {
  Arrays arrays(parts.arrays.size());
  std::ranges::copy(inputs, arrays.begin());
  for (const GraphPart& part : parts.parts) {
    for (std::int64_t turn = 0; turn < part.times; ++turn) {
      Arrays read;
      for (const int input : part.inputs) read.push_back(arrays[static_cast<std::size_t>(input)]);
      const auto made = graph::compute_as_defined(*part.graph, read);
      for (std::size_t n = 0; n < part.kept.size(); ++n) {
        arrays[static_cast<std::size_t>(part.kept[n])] = made[static_cast<std::size_t>(part.graph->kept[n].value)];
      }
    }
  }
  return arrays;
}

GraphParts parts_with_stored_steps(const Graph& whole, const std::vector<std::int64_t>& steps) {
  return cut_into_parts(std::make_shared<const Graph>(with_stored_steps(whole, steps)));
}

/// Compares what a graph keeps.
void check_kept(graph::testing::Random& random, const Graph& whole, const std::vector<std::int64_t>& steps) {
  Arrays inputs;
  for (const graph::Input& input : whole.inputs)
    inputs.push_back(graph::testing::random_array<double>(random, input.shape));
  const auto all = graph::compute_as_defined(whole, inputs);
  const Arrays arrays = compute_parts(parts_with_stored_steps(whole, steps), inputs);
  for (std::size_t n = 0; n < whole.kept.size(); ++n) {
    const auto& made = arrays[inputs.size() + n].values;
    const auto& expected = all[static_cast<std::size_t>(whole.kept[n].value)].values;
    REQUIRE(made.size() == expected.size());
    CHECK(std::ranges::equal(made, expected, graph::testing::same_bits<double>));
  }
}

TEST_CASE("random graphs whose iterations are cut are what they are as a whole") {
  graph::testing::Random random(11);
  int cut = 0;
  for (int n = 0; n < 40; ++n) {
    for (const graph::Shape shape : {graph::Shape{1, 1}, {2, 3}, {7, 13}, {32, 33}}) {
      const Graph whole =
          n % 2 == 0 ? graph::testing::iterated_graph(random, ElementType::f64, shape)
                     : graph::testing::random_written_graph(random, ElementType::f64, shape, drawn(random, 1, 6));
      std::vector<std::int64_t> steps;
      for (std::size_t left = graph::iterations_of(whole).size(); left > 0; --left)
        steps.push_back(drawn(random, 0, 3));
      if (!parts_fit(with_stored_steps(whole, steps))) continue;
      ++cut;
      check_kept(random, whole, steps);
    }
  }
  CHECK(cut > 100);
}

/// An iteration of one state and one other value, which is a node.
Graph one_iteration(std::int64_t times) {
  graph::testing::Random random(3);
  Graph whole;
  whole.type = ElementType::f64;
  const graph::Shape shape{8, 9};
  whole.inputs = {{"a", ElementType::f64, shape}, {"b", ElementType::f64, shape}};
  graph::Node node;
  node.name = "node";
  node.op = graph::find_operator("scale").value();
  node.operands = {1};
  node.settings.numbers = {2, 1};
  node.shape = shape;
  whole.nodes.push_back(node);
  auto iteration = std::make_shared<graph::Iteration>();
  iteration->body.type = whole.type;
  iteration->body.inputs = whole.inputs;
  node.op = graph::find_operator("formula").value();
  node.operands = {0, 1};
  node.settings =
      graph::settings_of(graph::parse_node_formula("0.5*(a[-1,0] + a[1,0]) + 0.1*b", {"a", "b"}, shape, whole.type),
                         graph::Boundary::edge);
  iteration->body.nodes.push_back(node);
  iteration->next = {2};
  iteration->times = times;
  graph::complete(*iteration);
  node.name = "i/u";
  node.op = graph::find_operator("iterate").value();
  node.operands = {0, 2};
  node.settings = graph::settings_of(iteration, 0);
  whole.nodes.push_back(node);
  whole.kept.push_back({3, whole.type});
  return whole;
}

TEST_CASE("an iteration of very many steps is four parts, one of them computed again and again") {
  const GraphParts made = parts_with_stored_steps(one_iteration(1'000'000'000), {7});
  REQUIRE(made.parts.size() == 4);
  std::int64_t steps = 0;
  for (std::size_t part = 1; part < 4; ++part) {
    const Graph& own = *made.parts[part].graph;
    steps += made.parts[part].times * own.nodes.back().settings.iteration->times;
    CHECK(own.nodes.back().settings.iteration->times <= 7);
  }
  CHECK(steps == 1'000'000'000);
  CHECK(made.parts[2].times > 140'000'000);
  // The state is one array, and the other value another one.
  REQUIRE(made.arrays.size() == 5);
  CHECK(made.arrays[3].name == "stored node");
  CHECK(made.arrays[4].name == "stored i/u so far");
  CHECK(made.arrays[4].made_in == 1);
  CHECK(made.arrays[4].renewed_in == 2);
  CHECK(made.arrays[4].last_read == 3);
}

TEST_CASE("iterations of few steps are not cut, and two parts renew nothing") {
  for (const std::int64_t steps : {0, 12, 13}) {
    CHECK(parts_with_stored_steps(one_iteration(12), {steps}).parts.size() == 1);
  }
  const GraphParts two = parts_with_stored_steps(one_iteration(12), {11});
  REQUIRE(two.parts.size() == 3);
  for (std::size_t part = 1; part < 3; ++part) {
    CHECK(two.parts[part].times == 1);
    CHECK(two.parts[part].graph->nodes.back().settings.iteration->times == 6);
  }
  graph::testing::Random random(5);
  for (const std::int64_t steps : {1, 2, 5, 11}) check_kept(random, one_iteration(12), {steps});
}

}  // namespace
}  // namespace terrace::stages
