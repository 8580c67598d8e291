// Graphs in parts give what the whole graph gives.
#include <catch2/catch.hpp>

#include "stages/kernel_graph/parts.hpp"
#include "tests/differential/graph/samples.hpp"

namespace terrace::stages {
namespace {

using graph::Array;
using graph::Graph;
using graph::Shape;
using graph::testing::drawn;

/// Computes part after part by the definition, and compares every array that they make with the whole graph's.
void check_parts(graph::testing::Random& random, const Graph& whole) {
  std::vector<Array<double>> inputs;
  for (const graph::Input& input : whole.inputs)
    inputs.push_back(graph::testing::random_array<double>(random, input.shape));
  const auto all = graph::compute_as_defined(whole, inputs);
  const GraphParts parts = cut_into_parts(whole);
  std::vector<Array<double>> arrays(parts.arrays.size());
  std::copy(inputs.begin(), inputs.end(), arrays.begin());
  for (const GraphPart& part : parts.parts) {
    REQUIRE(!part.kept.empty());
    std::vector<Array<double>> read;
    for (std::size_t n = 0; n < part.inputs.size(); ++n) {
      read.push_back(arrays[static_cast<std::size_t>(part.inputs[n])]);
      CHECK(part.graph->inputs[n].shape == read.back().shape);
    }
    const auto made = graph::compute_as_defined(*part.graph, read);
    for (std::size_t n = 0; n < part.kept.size(); ++n) {
      arrays[static_cast<std::size_t>(part.kept[n])] = made[static_cast<std::size_t>(part.graph->kept[n].value)];
    }
  }
  for (std::size_t n = 0; n < arrays.size(); ++n) {
    const Array<double>& expected = all[static_cast<std::size_t>(parts.arrays[n].value)];
    CAPTURE(n, parts.arrays[n].name);
    REQUIRE(arrays[n].values.size() == expected.values.size());
    std::size_t different = 0;
    for (std::size_t at = 0; at < expected.values.size(); ++at) {
      if (!graph::testing::same_bits(arrays[n].values[at], expected.values[at])) ++different;
    }
    CHECK(different == 0);
  }
}

/// A graph of nodes, one after another, of which the last is kept.
Graph chain_of(int nodes) {
  Graph made;
  made.inputs.push_back({"image", ElementType::f32, {8, 9}});
  for (int n = 0; n < nodes; ++n) {
    graph::Node node;
    node.name = "n" + std::to_string(n);
    node.op = graph::find_operator("scale").value();
    node.operands = {n};
    node.settings.numbers = {2, 1};
    node.shape = {8, 9};
    made.nodes.push_back(node);
  }
  made.kept.push_back({nodes, ElementType::f32});
  return made;
}

TEST_CASE("a graph without stored nodes is one part") {
  const Graph whole = chain_of(4);
  const GraphParts made = cut_into_parts(whole);
  REQUIRE(made.parts.size() == 1);
  CHECK(made.parts[0].graph->nodes.size() == 4);
  CHECK(made.arrays.size() == 2);
}

TEST_CASE("parts read what is stored, and nothing else of earlier ones") {
  Graph whole = chain_of(6);
  whole.nodes[1].is_stored = whole.nodes[3].is_stored = true;
  const GraphParts made = cut_into_parts(whole);
  REQUIRE(made.parts.size() == 3);
  CHECK(made.parts[1].graph->nodes.size() == 2);
  CHECK(made.parts[1].graph->inputs[0].name == "stored n1");
  CHECK(made.parts[1].graph->inputs[0].may_be_nan);
  REQUIRE(made.arrays.size() == 4);
  CHECK(made.arrays[2].role == run::Role::scratch);
  CHECK(made.arrays[2].made_in == 0);
  CHECK(made.arrays[2].last_read == 1);
  CHECK(made.arrays[3].last_read == 2);
}

TEST_CASE("kept nodes are read as results if these have all bits") {
  Graph whole = chain_of(4);
  whole.nodes[1].is_stored = whole.nodes[2].is_stored = true;
  whole.kept.push_back({2, ElementType::f32});
  whole.kept.push_back({3, ElementType::u8});
  const GraphParts made = cut_into_parts(whole);
  REQUIRE(made.parts.size() == 3);
  REQUIRE(made.arrays.size() == 5);
  CHECK(made.parts[1].inputs == std::vector{2});
  CHECK(made.arrays[4].name == "stored n2");
  CHECK(made.parts[2].inputs == std::vector{4});
}

TEST_CASE("random graphs in parts are what they are as a whole") {
  graph::testing::Random random(37);
  for (int n = 0; n < 12; ++n) {
    for (const Shape shape : graph::testing::sample_shapes) {
      Graph whole = graph::testing::random_graph(random, ElementType::f64, shape, drawn(random, 2, 12));
      for (graph::Node& node : whole.nodes) node.is_stored = drawn(random, 0, 3) == 0;
      check_parts(random, whole);
    }
  }
}

}  // namespace
}  // namespace terrace::stages
