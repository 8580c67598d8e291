// Graphs in parts give what the whole graph gives.
#include <catch2/catch.hpp>

#include "kernels/graph/task.hpp"
#include "pipeline/base/error.hpp"
#include "stages/kernel_graph/moves.hpp"
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
  const GraphParts parts = cut_into_parts(std::make_shared<const Graph>(whole));
  std::vector<Array<double>> arrays(parts.arrays.size());
  std::copy(inputs.begin(), inputs.end(), arrays.begin());
  for (const GraphPart& part : parts.parts) {
    REQUIRE((!part.kept.empty() || !part.reductions.empty()));
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
  const GraphParts made = cut_into_parts(std::make_shared<const Graph>(whole));
  REQUIRE(made.parts.size() == 1);
  CHECK(made.parts[0].graph->nodes.size() == 4);
  CHECK(made.arrays.size() == 2);
}

TEST_CASE("parts read what is stored, and nothing else of earlier ones") {
  Graph whole = chain_of(6);
  whole.nodes[1].is_stored = whole.nodes[3].is_stored = true;
  const GraphParts made = cut_into_parts(std::make_shared<const Graph>(whole));
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
  const GraphParts made = cut_into_parts(std::make_shared<const Graph>(whole));
  REQUIRE(made.parts.size() == 3);
  REQUIRE(made.arrays.size() == 5);
  CHECK(made.parts[1].inputs == std::vector{2});
  CHECK(made.arrays[4].name == "stored n2");
  CHECK(made.parts[2].inputs == std::vector{4});
}

/// A warp of input 0 by itself and `displacement`, after the nodes of a graph.
Graph with_warp(Graph graph, int displacement) {
  graph::Node node;
  node.name = "warp";
  node.op = graph::find_operator("warp").value();
  node.operands = {0, 0, displacement};
  node.shape = graph.shape(0);
  graph.nodes.push_back(node);
  graph.kept.push_back({graph.values() - 1, graph.type});
  return graph;
}

TEST_CASE("warps come after the part that finds how far they move") {
  for (const int displacement : {0, 2}) {
    const Graph whole = with_known_moves(with_warp(chain_of(4), displacement));
    REQUIRE(whole.reductions.size() == 2);
    CHECK(whole.reductions[0].value == displacement);
    const GraphParts made = cut_into_parts(std::make_shared<const Graph>(whole));
    REQUIRE(made.parts.size() == 2);
    CHECK(made.parts[0].reductions == std::vector{0, 1});
    CHECK(made.parts[1].numbers == std::vector{0, 1});
    const graph::Node& warp = made.parts[1].graph->nodes.back();
    REQUIRE(warp.settings.moves.has_value());
    CHECK(warp.settings.moves->largest == 1);
    CHECK(made.parts[1].graph->nodes.size() == static_cast<std::size_t>(displacement) + 1);
  }
}

TEST_CASE("warps by one displacement share its numbers, and by a constant need none") {
  Graph whole = with_warp(with_warp(chain_of(4), 2), 2);
  CHECK(with_known_moves(whole).reductions.size() == 2);
  whole.nodes[1].op = graph::find_operator("constant").value();
  CHECK(with_known_moves(whole).reductions.empty());
}

TEST_CASE("warps by more displacements than parts have numbers may move by any rows") {
  Graph whole = chain_of(4);
  for (int n = 0; n < 6; ++n) {
    whole.inputs.push_back({"v", ElementType::f32, {8, 9}});
    for (graph::Node& node : whole.nodes) {
      for (int& operand : node.operands) operand += operand > 0 ? 1 : 0;
    }
    for (graph::Kept& kept : whole.kept) ++kept.value;
  }
  for (int n = 1; n <= 6; ++n) whole = with_warp(whole, n);
  const Graph made = with_known_moves(whole);
  CHECK(made.reductions.size() == graph::most_numbers);
  CHECK(!made.nodes.back().settings.moves);
}

TEST_CASE("random graphs in parts are what they are as a whole") {
  graph::testing::Random random(37);
  for (int n = 0; n < 12; ++n) {
    for (const Shape shape : graph::testing::sample_shapes) {
      Graph whole = graph::testing::random_graph(random, ElementType::f64, shape, drawn(random, 2, 12));
      for (graph::Node& node : whole.nodes) node.is_stored = drawn(random, 0, 3) == 0;
      check_parts(random, whole);
      check_parts(random, with_known_moves(whole));
    }
  }
}

/// The message about a graph that has no parts.
std::string fault_of(const Graph& whole) {
  try {
    cut_into_parts(std::make_shared<const Graph>(whole));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("parts with more arrays or numbers than a graph may have are refused") {
  using Catch::Contains;
  Graph whole = chain_of(1);
  whole.kept.clear();
  for (int n = 0; n < 17; ++n) {
    whole.nodes.push_back(whole.nodes.front());
    whole.nodes.back().is_stored = true;
    whole.nodes.push_back(whole.nodes.back());
    whole.nodes.back().is_stored = false;
    whole.nodes.back().operands = {whole.values() - 2};
    if (whole.kept.size() < graph::most_kept) whole.kept.push_back({whole.values() - 1, ElementType::f32});
  }
  CHECK_THAT(fault_of(whole), Contains("writes 17 arrays and may have 16"));

  Graph numbers = chain_of(0);
  numbers.kept.clear();
  for (int n = 0; n < 9; ++n) {
    // A number of each part, so that no part makes many.
    graph::Reduction own;
    own.value = numbers.values() - 1;
    numbers.reductions.push_back(own);
    graph::Node node = chain_of(1).nodes.front();
    node.operands = {numbers.values() - 1};
    node.settings.known = {{0, n, 1}};
    numbers.nodes.push_back(node);
  }
  numbers.kept = {{numbers.values() - 1, ElementType::f32}};
  CHECK_THAT(fault_of(numbers), Contains("takes 9 numbers and may have 8"));
}

}  // namespace
}  // namespace terrace::stages
