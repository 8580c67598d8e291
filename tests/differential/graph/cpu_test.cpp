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
