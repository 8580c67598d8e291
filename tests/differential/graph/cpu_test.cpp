// Graphs on the CPU, slab by slab, against their definition.
#include "kernels/device/cpu_context.hpp"
#include "kernels/graph/cpu/rooms.hpp"
#include "tests/differential/graph/graph_slabs.hpp"

namespace terrace::graph {
namespace {

using testing::drawn;

/// The CPU with so many threads, from 1 to 3.
device::Context& cpu_of(int threads) {
  static device::CpuContext contexts[] = {device::CpuContext(1), device::CpuContext(2), device::CpuContext(3)};
  return contexts[threads - 1];
}

TEST_CASE("random graphs in slabs are as they are defined") {
  testing::Random random(36);
  for (int n = 0; n < 6; ++n) {
    for (const Shape shape : testing::sample_shapes) {
      const int nodes = drawn(random, 1, 12);
      device::Context& cpu = cpu_of(drawn(random, 1, 3));
      testing::check_graph<float>(cpu, random, testing::random_graph(random, ElementType::f32, shape, nodes));
      testing::check_graph<double>(cpu, random, testing::random_graph(random, ElementType::f64, shape, nodes));
    }
  }
}

TEST_CASE("random graphs of formulas and iterations in slabs are as they are defined") {
  testing::Random random(37);
  for (int n = 0; n < 25; ++n) {
    for (const Shape shape : testing::sample_shapes) {
      const int nodes = drawn(random, 1, 6);
      testing::check_graph<float>(cpu_of(drawn(random, 1, 3)), random,
                                  testing::random_written_graph(random, ElementType::f32, shape, nodes));
      testing::check_graph<double>(cpu_of(drawn(random, 1, 3)), random,
                                   testing::random_written_graph(random, ElementType::f64, shape, nodes));
    }
  }
}

TEST_CASE("iterations that hand rows on are as they are defined") {
  testing::Random random(38);
  std::size_t carriers = 0;
  for (int n = 0; n < 60; ++n) {
    for (const Shape shape : {Shape{61, 9}, Shape{150, 4}, Shape{24, 5}}) {
      const Graph graph = testing::iterated_graph(random, ElementType::f64, shape);
      GraphSpec spec{std::make_shared<Graph>(graph), 1};
      spec.pass_steps = 1;
      carriers += carriers_of(spec).size();
      testing::check_graph<double>(cpu_of(drawn(random, 1, 3)), random, graph, {1, 2, 7, 20, shape.rows}, true);
      const Graph narrow = testing::iterated_graph(random, ElementType::f32, shape);
      testing::check_graph<float>(cpu_of(drawn(random, 1, 3)), random, narrow, {1, 3, 12}, true);
    }
  }
  CHECK(carriers > 30);
}

/// An iteration of two formulas, of which the second reads the first.
Graph chained_graph(const std::string& first, const std::string& second, Boundary boundary, Shape shape, i64 times) {
  Graph graph;
  graph.inputs.push_back({"a", ElementType::f32, shape});
  auto iteration = std::make_shared<Iteration>();
  iteration->body.inputs.push_back({"x", ElementType::f32, shape});
  const auto add = [&](const std::string& text, int operand) {
    Node node;
    node.op = find_operator("formula").value();
    node.operands = {operand};
    node.settings = settings_of(parse_node_formula(text, {"x"}, shape, ElementType::f32), boundary);
    node.shape = shape;
    iteration->body.nodes.push_back(node);
  };
  add(first, 0);
  add(second, 1);
  iteration->next = {2};
  iteration->times = times;
  complete(*iteration);
  Node node;
  node.name = "x";
  node.op = find_operator("iterate").value();
  node.operands = {0};
  node.settings = settings_of(iteration, 0);
  node.shape = shape;
  graph.nodes.push_back(node);
  graph.kept = {{1, ElementType::f32}};
  return graph;
}

TEST_CASE("nodes of iterations read on from where boundaries lead") {
  testing::Random random(3);
  for (const Boundary boundary : {Boundary::symmetric, Boundary::reflect, Boundary::edge}) {
    // In the middle a step reads its own row.
    const Graph graph = chained_graph("0.75*x[2, 0]", "x[-2, 0] + 0.25", boundary, {40, 5}, 4);
    CHECK(graph.node(1).settings.iteration->row_radius == 4);
    for (const bool carries : {false, true}) {
      testing::check_graph<float>(cpu_of(1), random, graph, {1, 3, 17, 40}, carries);
    }
  }
}

TEST_CASE("iterations do nothing twice if they hand rows on") {
  testing::Random random(39);
  for (int n = 0; n < 20; ++n) {
    const Graph graph = testing::iterated_graph(random, ElementType::f64, {400, 5});
    GraphSpec spec{std::make_shared<Graph>(graph), 25};
    spec.pass_steps = 1;
    if (carriers_of(spec).empty()) continue;
    const Iteration& iteration = *graph.node(3).settings.iteration;
    for (const i64 pass_steps : {1, 2, 4}) {
      spec.pass_steps = pass_steps;
      i64 rows = 0, passes = 0;
      for (i64 slab = 0; slab < slabs_of(spec); ++slab) {
        const PassRows own(iteration, pass_steps, rows_needed(spec, slab)[3]);
        passes = own.passes();
        for (i64 pass = 1; pass <= passes; ++pass) rows += own.made(pass).size();
      }
      CHECK(rows == 400 * passes);
    }
  }
}

TEST_CASE("whole numbers are scaled on their way in and out") { testing::check_scaling(cpu_of(2)); }

TEST_CASE("whole numbers are rounded to the nearest and clamped") { testing::check_rounding(cpu_of(1)); }

TEST_CASE("a NaN of an input is named") { testing::check_nan(cpu_of(3)); }

TEST_CASE("constants of nodes are numbers of a task, times a factor") { testing::check_numbers(cpu_of(2)); }

TEST_CASE("memory of values is used again, within its bound") {
  Rooms rooms(100);
  auto first = rooms.take(60);
  std::byte* const data = first.data.get();
  auto second = rooms.take(40);
  rooms.give(std::move(first));
  auto again = rooms.take(50);
  CHECK(again.data.get() == data);
  CHECK(again.size == 60);
  rooms.give(std::move(again));
  const auto other = rooms.take(20);
  CHECK(other.size == 20);
}

TEST_CASE("reductions do not depend on slabs and threads") {
  testing::Random random(9);
  for (const Shape shape : testing::sample_shapes) {
    testing::check_reductions<float>(cpu_of(drawn(random, 1, 3)), random, shape, 20, false);
    testing::check_reductions<double>(cpu_of(drawn(random, 1, 3)), random, shape, 20, false);
  }
  testing::check_reductions<float>(cpu_of(2), random, {40, 77}, 20, true);
}

TEST_CASE("warps read the rows that their displacements allow") { testing::check_moves(cpu_of(2)); }

TEST_CASE("bins are closed below, and the last one above") {
  const Histogram bins{3, 0, 0.3};
  const Array<double> edges{{1, 6}, {0, 0.1, 0.2, 0.3, -0.01, 0.31}};
  std::vector<i64> counts(3, 0);
  for (const double value : edges.values) {
    if (bins.bin(value) >= 0) ++counts[static_cast<std::size_t>(bins.bin(value))];
  }
  CHECK(counts == counted_as_defined(bins, edges));
  CHECK(bins.bin(0.3) == 2);
  CHECK(bins.bin(0.31) == -1);
}

TEST_CASE("rows of a slab") {
  Rows rows;
  rows.add({3, 5});
  rows.add({8, 9});
  rows.add({5, 6});
  CHECK(rows.ranges() == std::vector<Range>{{3, 6}, {8, 9}});
  CHECK(rows.size() == 4);
  CHECK(rows.number_of(8) == 3);
  CHECK(rows[3] == 8);
  CHECK(rows.joined(1).ranges() == std::vector<Range>{{3, 9}});
  Rows wrapped;
  wrapped.add_inside({-2, 1}, 10, Boundary::periodic);
  CHECK(wrapped.ranges() == std::vector<Range>{{0, 1}, {8, 10}});
  Rows mirrored;
  mirrored.add_inside({8, 13}, 10, Boundary::symmetric);
  CHECK(mirrored.ranges() == std::vector<Range>{{7, 10}});
}

}  // namespace
}  // namespace terrace::graph
