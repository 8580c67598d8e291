// Graphs on the CPU, slab by slab, against their definition.
#include "kernels/device/cpu_context.hpp"
#include "kernels/device/cpu_features.hpp"
#include "kernels/graph/cpu/ring_cut.hpp"
#include "kernels/graph/cpu/rooms.hpp"
#include "kernels/graph/cpu/term_sums.hpp"
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

TEST_CASE("several steps at a time that hand rows on are as they are defined") {
  testing::Random random(41);
  for (const Boundary boundary : {Boundary::symmetric, Boundary::reflect, Boundary::edge, Boundary::value}) {
    for (const auto& [first, radius] :
         {std::pair("0.5*x[1, 2] + 0.25*x[-2, -1]", 2), {"0.5*(x[1, 0] + x[-1, 1])", 1}}) {
      for (const i64 times : {2, 9, 26}) {
        for (const Shape shape : {Shape{107, 600}, Shape{33, 1100}}) {
          const Graph graph = chained_graph(first, "0.75*x + 0.125", boundary, shape, times);
          const Iteration& iteration = *graph.node(1).settings.iteration;
          REQUIRE(iteration.row_radius == radius);
          REQUIRE(ring_cut(iteration, sizeof(float), times, 2).steps > 1);
          for (const int threads : {1, 2}) {
            testing::check_graph<float>(cpu_of(threads), random, graph, {1, 2, 7, 20, 40}, true);
          }
        }
      }
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

TEST_CASE("stencils of every radius are as they are defined") {
  testing::Random random(43);
  for (int radius = 0; radius <= most_radius; ++radius) {
    for (const bool is_separable : {false, true}) {
      Graph graph;
      graph.inputs.push_back({"a", ElementType::f32, {40, 167}});
      Node node;
      node.op = find_operator("stencil").value();
      node.operands = {0};
      node.settings.boundary = Boundary::reflect;
      node.settings.is_separable = is_separable;
      node.settings.row_radius = radius, node.settings.column_radius = most_radius - radius;
      const int height = 2 * radius + 1, width = 2 * (most_radius - radius) + 1;
      for (int n = 0; n < (is_separable ? height + width : height * width); ++n) {
        node.settings.numbers.push_back(testing::drawn_number(random, -1, 1));
      }
      node.shape = {40, 167};
      graph.nodes.push_back(node);
      graph.kept.push_back({1, ElementType::f32});
      testing::check_graph<float>(cpu_of(2), random, graph, {7, 40});
    }
  }
}

template <class T>
void check_sums(testing::Random& random, SumTerms<T> sum_terms) {
  for (const i64 columns : {1, 7, 8, 33, 64, 130, 300}) {
    for (const i64 terms : {1, 2, 25}) {
      std::vector<std::vector<T>> rows;
      std::vector<const T*> x;
      std::vector<T> factors, made(static_cast<std::size_t>(columns), -1);
      for (i64 term = 0; term < terms; ++term) {
        factors.push_back(static_cast<T>(testing::drawn_number(random, -1, 1)));
        rows.emplace_back();
        for (i64 j = 0; j < columns; ++j) rows.back().push_back(static_cast<T>(testing::drawn_number(random, -1, 1)));
      }
      for (const std::vector<T>& row : rows) x.push_back(row.data());
      for (const T* c : {static_cast<const T*>(factors.data()), static_cast<const T*>(nullptr)}) {
        sum_terms({x.data(), c, terms}, 1, columns, made.data());
        CHECK(made[0] == -1);
        for (i64 j = 1; j < columns; ++j) {
          T sum = c != nullptr ? c[0] * x[0][j] : x[0][j];
          for (i64 n = 1; n < terms; ++n)
            sum = sum + (c != nullptr ? c[n] * x[static_cast<std::size_t>(n)][j] : x[static_cast<std::size_t>(n)][j]);
          REQUIRE(testing::same_bits(made[static_cast<std::size_t>(j)], sum));
        }
      }
    }
  }
}

TEST_CASE("sums of terms are the same in every instruction set") {
  testing::Random random(44);
  const device::InstructionSet best = device::best_instruction_set();
  check_sums<float>(random, sse2::sum_terms<float>);
  check_sums<double>(random, sse2::sum_terms<double>);
  if (best < device::InstructionSet::avx2) return;
  check_sums<float>(random, avx2::sum_terms<float>);
  check_sums<double>(random, avx2::sum_terms<double>);
  if (best < device::InstructionSet::avx512) return;
  check_sums<float>(random, avx512::sum_terms<float>);
  check_sums<double>(random, avx512::sum_terms<double>);
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
  const Histogram bins{{3, 0, 0.3}};
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
