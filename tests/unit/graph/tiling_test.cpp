// Launches cut into sub-kernels: examples of the paper, and random launches whose every read is followed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "kernels/graph/iteration_strips.hpp"
#include "kernels/graph/node_formula.hpp"
#include "kernels/graph/operators.hpp"
#include "kernels/graph/tiling/clusters.hpp"

namespace terrace::graph {
namespace {

using Random = std::mt19937;

i64 drawn(Random& random, i64 first, i64 last) { return std::uniform_int_distribution<i64>(first, last)(random); }

/// An array of so many rows, a byte each, from an address on.
Touch touch(i64 address, i64 rows, bool writes, i64 low = 0, i64 high = 0, Boundary boundary = Boundary::edge) {
  return {.row_zero = address,
          .stride = 1,
          .bytes = 1,
          .memory = address,
          .writes = writes,
          .reach = {.low = low, .high = high, .extent = rows, .boundary = boundary}};
}

/// Bytes from memory take a second each, from the cache none.
TimeTable slow_memory(double cache_bytes, double launch_seconds = 0) {
  return {launch_seconds, cache_bytes, {{1, 0, 1}}};
}

/// The graph of figure 1: A makes 256 x 256 pixels gray, B halves them. A has 8 x 32 thread blocks of 32 x 8, B
/// blocks of as many of its own pixels. A pixel is a byte here, also of the input.
class Halving {
 public:
  Halving() {
    graph_.inputs = {{"in", ElementType::u8, {256, 256}}};
    Node node;
    node.op = find_operator("downscale").value();
    node.operands = {0};
    node.shape = {128, 128};
    graph_.nodes = {node};
  }
  std::vector<TileStep> steps() const {
    return {{{0, 256}, {pixels(in, 256, false), pixels(gray, 256, true)}},
            {{0, 128}, {halved(), pixels(out, 128, true)}}};
  }

 private:
  static constexpr i64 in = 0, gray = 1 << 20, out = 2 << 20;

  static Touch pixels(i64 address, i64 side, bool writes) {
    Touch made = touch(address, side, writes);
    made.stride = made.bytes = side;
    return made;
  }
  Touch halved() const {
    Touch made = pixels(gray, 256, false);
    made.reach.graph = &graph_, made.reach.node = &graph_.nodes.front();
    return made;
  }

  Graph graph_;
};

TEST_CASE("a row of blocks of figure 1 needs two rows of blocks") {
  const Halving halving;
  const TileGraph graph(halving.steps());
  REQUIRE(graph.dependences(1).size() == 1);
  const Dependence& own = graph.dependences(1).front();
  CHECK(own.on == 0);
  CHECK(own.is_flow);
  CHECK(own.rows_before(0) == 0);
  CHECK(own.rows_before(1) == 2);
  CHECK(own.rows_before(8) == 16);
  CHECK(own.rows_before(128) == 256);
}

TEST_CASE("the kernels of figure 1 take turns, as many rows of blocks at a time as the cache holds") {
  const Halving halving;
  const TileGraph graph(halving.steps());
  // 16 rows of the input, 16 of the gray one and 8 of the result.
  for (const i64 blocks : {1, 3, 4}) {
    const TimeTable times = slow_memory(static_cast<double>(blocks * (16 * 256 + 16 * 256 + 8 * 128)));
    const TileSchedule made = tile_schedule(graph, times);
    std::vector<SubKernel> expected;
    for (i64 at = 0; at < 16; at += blocks) {
      const i64 end = std::min<i64>(16, at + blocks);
      expected.push_back({0, {16 * at, 16 * end}});
      expected.push_back({1, {8 * at, 8 * end}});
    }
    CHECK(made.tiling.sequence == expected);
    CHECK(made.clusters == std::vector<std::vector<int>>{{0, 1}});
    // The reads of B are in the cache.
    CHECK(made.untiled_seconds - made.tiling.seconds == Approx(256 * 256));
  }
}

TEST_CASE("a cache that does not hold the least rows leaves kernels as they are") {
  const Halving halving;
  const TileGraph graph(halving.steps());
  const TimeTable times = slow_memory(16 * 256 + 16 * 256 + 8 * 128 - 1);
  CHECK(tile_schedule(graph, times).tiling.sequence == std::vector<SubKernel>{{0, {0, 256}}, {1, {0, 128}}});
  StripCutter cutter(graph, times, 8);
  CHECK_FALSE(cutter.cut({0, 1}));
}

TEST_CASE("rows come along whose rows are all there") {
  // The second kernel doubles the rows.
  Graph doubling;
  doubling.inputs = {{"in", ElementType::u8, {8, 1}}};
  Node node;
  node.op = find_operator("pyramid_up").value();
  node.operands = {0};
  node.shape = {16, 1};
  doubling.nodes = {node};
  Touch read = touch(100, 8, false);
  read.reach.graph = &doubling, read.reach.node = &doubling.nodes.front();
  const TileGraph graph({{{0, 8}, {touch(0, 8, false), touch(100, 8, true)}},
                         {{0, 16}, {read, touch(200, 16, true)}},
                         {{0, 6}, {touch(200, 16, false, 0, 10), touch(300, 6, true)}}});
  // The first row of the last kernel needs rows before 11 of the second one. What these need makes row 11 ready, too.
  const Dependence& up = graph.dependences(1).front();
  const i64 first = up.rows_before(11);
  REQUIRE(up.rows_before(12) == first);
  REQUIRE(up.rows_before(13) > first);
  const TimeTable times = slow_memory(static_cast<double>(2 * first + 12 + 2));
  StripCutter cutter(graph, times, 1);
  const auto made = cutter.cut({0, 1, 2});
  REQUIRE(made);
  CHECK(made->sequence[0] == SubKernel{0, {0, first}});
  CHECK(made->sequence[1] == SubKernel{1, {0, 12}});
  CHECK(made->sequence[2] == SubKernel{2, {0, 2}});
}

TEST_CASE("launches that cost more than the cache saves are not added") {
  const Halving halving;
  const TileGraph graph(halving.steps());
  const double rounds = 16, saved = 256 * 256;
  const double bytes = 16 * 256 + 16 * 256 + 8 * 128;
  CHECK(tile_schedule(graph, slow_memory(bytes, 0.99 * saved / (2 * rounds - 2))).clusters.size() == 1);
  CHECK(tile_schedule(graph, slow_memory(bytes, 1.01 * saved / (2 * rounds - 2))).clusters.size() == 2);
}

TEST_CASE("a thousand blocks go as four times 250, as in figure 3") {
  // Blocks for bytes, microseconds for seconds: 6.5 blocks a microsecond at a grid of 250, 5 at one of 1000.
  const TimeTable times{0, 0, {{250, 250 / 6.5, 250 / 6.5}, {1000, 1000 / 6.5, 1000 / 5.0}}};
  CHECK(times.seconds(1000, 0) == Approx(200));
  CHECK(4 * times.seconds(250, 250) == Approx(4 * 38.4615).epsilon(1e-4));
  CHECK(times.seconds(1000, 500) == Approx(100 + 0.5 * 1000 / 6.5));
  CHECK(times.seconds(625, 0) == Approx((250 / 6.5 + 200) / 2));
  CHECK(times.seconds(2000, 0) == Approx(400));
  CHECK(times.seconds(125, 125) == Approx(125 / 6.5));
}

/// Launches over two buffers that take turns, each from the rows around its own.
std::vector<TileStep> iteration(int steps, i64 rows, i64 radius) {
  std::vector<TileStep> made;
  for (int n = 0; n < steps; ++n) {
    const i64 from = n % 2 == 0 ? 0 : rows, to = rows - from;
    made.push_back({{0, rows}, {touch(from, rows, false, -radius, radius), touch(to, rows, true)}});
  }
  return made;
}

TEST_CASE("two buffers do for an iteration: each step is a radius behind the one before") {
  const TileGraph graph(iteration(5, 1000, 2));
  const TimeTable times = slow_memory(2 * 108);
  StripCutter cutter(graph, times, 1);
  const auto made = cutter.cut({0, 1, 2, 3, 4});
  REQUIRE(made);
  std::map<int, i64> ends;
  for (const auto& [step, rows] : made->sequence) {
    CHECK(rows.begin == ends[step]);
    ends[step] = rows.end;
    if (step > 0 && rows.end < 1000) CHECK(rows.end == ends[step - 1] - 2);
  }
  for (int step = 0; step < 5; ++step) CHECK(ends[step] == 1000);
}

TEST_CASE("an iteration of 500 steps is planned within a second, in clusters that save time") {
  const TileGraph graph(iteration(500, 1 << 14, 1));
  const double row = 65536;
  const TimeTable times = table_of_rates(1.7e-6, 40e6 / row, 6.2e12 / row, 4.4e12 / row);
  const TileSchedule made = tile_schedule(graph, times);
  CHECK(made.untiled_seconds / made.tiling.seconds > 1.05);
  CHECK(made.clusters.size() < 60);
}

/// A step of two states that read their neighbours and an array that does not change.
Iteration two_states(Shape shape) {
  Iteration made;
  made.times = 500;
  for (int n = 0; n < 3; ++n) made.body.inputs.push_back({"a", ElementType::f32, shape});
  for (const char* text : {"u[-1,0] + v[0,1] - x", "0.5*u + v[1,0]"}) {
    Node node;
    node.op = find_operator("formula").value();
    node.operands = {0, 1, 2};
    node.settings = settings_of(parse_node_formula(text, {"u", "v", "x"}, shape, ElementType::f32), Boundary::edge);
    node.shape = shape;
    made.next.push_back(made.body.values());
    made.body.nodes.push_back(node);
  }
  complete(made);
  return made;
}

TEST_CASE("steps of an iteration are cut together where its arrays are larger than the cache") {
  const TimeTable times = table_of_rates(1.7e-6, 40e6, 6.2e12, 4.4e12);
  const IterationStrips large = strips_of(two_states({4096, 4096}), times);
  CHECK(large.steps > 4);
  CHECK(large.share < 0.96);
  CHECK(large.share > 4.4 / 6.2);
  const IterationStrips small = strips_of(two_states({1024, 1024}), times);
  CHECK(small.steps == 1);
  CHECK(small.share == 1);
}

/// Random launches over a few buffers of a random number of rows.
std::vector<TileStep> random_steps(Random& random) {
  const i64 rows = drawn(random, 1, 60);
  std::vector<TileStep> made;
  for (i64 count = drawn(random, 1, 12); count > 0; --count) {
    const auto buffer = [&] { return drawn(random, 0, 4) * 80; };
    // A buffer may hold an array from another row on.
    const i64 first = drawn(random, 0, 3);
    const i64 last = drawn(random, 0, 1) == 0 ? rows + 3 : drawn(random, first + 1, rows + 3);
    const i64 target = buffer();
    TileStep step{{first, last}, {}};
    Touch to = touch(target, last, true);
    to.row_zero -= first;
    step.touches = {to};
    for (i64 reads = drawn(random, 1, 3); reads > 0; --reads) {
      const i64 from = buffer();
      if (from == target) continue;
      const i64 low = -drawn(random, 0, 3), high = drawn(random, 0, 3);
      const auto boundary = static_cast<Boundary>(drawn(random, 0, 4));
      step.touches.push_back(touch(from, rows + 3, false, low, high, boundary));
    }
    made.push_back(step);
  }
  return made;
}

/// The bytes that a row of a launch reads or writes.
std::set<i64> bytes_of(const Touch& touch, i64 row) {
  std::set<i64> found;
  const Range reached = touch.reach.of({row, row + 1});
  for (i64 at = reached.begin; at < reached.end; ++at) {
    const i64 inside = index_inside(at, touch.reach.extent, touch.reach.boundary);
    if (inside != outside) found.insert(touch.row_zero + inside * touch.stride);
  }
  return found;
}

/// Runs launches on memory whose values are numbers, each computed from the row, the launch and what is read.
class Memory {
 public:
  void make(const std::vector<TileStep>& steps, const SubKernel& part) {
    std::map<i64, std::size_t> written;
    const TileStep& step = steps[static_cast<std::size_t>(part.step)];
    for (i64 row = part.rows.begin; row < part.rows.end; ++row) {
      std::size_t value = static_cast<std::size_t>(part.step) * 1000003 + static_cast<std::size_t>(row);
      for (const Touch& touch : step.touches) {
        if (touch.writes) continue;
        for (const i64 byte : bytes_of(touch, row)) value = value * 31 + values_[byte] + 17;
      }
      for (const Touch& touch : step.touches) {
        for (const i64 byte : touch.writes ? bytes_of(touch, row) : std::set<i64>{}) written[byte] = value;
      }
    }
    for (const auto& [byte, value] : written) values_[byte] = value;
  }
  const std::map<i64, std::size_t>& values() const { return values_; }

 private:
  std::map<i64, std::size_t> values_;
};

TEST_CASE("schedules of random launches give what these give one after another, each row once") {
  Random random(36);
  int tiled = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::vector<TileStep> steps = random_steps(random);
    const TileGraph graph(steps);
    const TimeTable times = slow_memory(static_cast<double>(drawn(random, 8, 200)),
                                        round % 2 == 0 ? 0 : 0.1 * static_cast<double>(round % 7));
    const TileSchedule made = tile_schedule(graph, times, drawn(random, 1, 4));
    CHECK(made.tiling.seconds <= made.untiled_seconds);
    Memory expected, found;
    std::map<int, i64> ends;
    for (int n = 0; n < graph.size(); ++n) expected.make(steps, {n, graph.step(n).rows});
    for (const SubKernel& part : made.tiling.sequence) {
      const Range rows = graph.step(part.step).rows;
      CHECK(part.rows.begin == ends.emplace(part.step, rows.begin).first->second);
      CHECK(part.rows.size() > 0);
      ends[part.step] = part.rows.end;
      found.make(steps, part);
    }
    for (int n = 0; n < graph.size(); ++n) CHECK(ends[n] == graph.step(n).rows.end);
    CAPTURE(round);
    CHECK(expected.values() == found.values());
    if (made.tiling.sequence.size() > steps.size()) ++tiled;
  }
  CHECK(tiled > 50);
}

}  // namespace
}  // namespace terrace::graph
