// Graphs on the CPU, slab by slab, against their definition.
#include <catch2/catch.hpp>
#include <cstring>

#include "kernels/device/cpu_context.hpp"
#include "kernels/graph/cpu/rooms.hpp"
#include "kernels/graph/methods.hpp"
#include "kernels/graph/slabs.hpp"
#include "kernels/graph/task.hpp"
#include "tests/differential/graph/samples.hpp"

namespace terrace::graph {
namespace {

using testing::drawn;

/// Memory of parts, each of exactly its rows.
using Pieces = std::vector<std::vector<std::byte>>;

void add_part(GraphTask& task, Pieces& pieces, Range rows, i64 row_bytes, std::size_t number, bool is_kept) {
  pieces.emplace_back(static_cast<std::size_t>(rows.size() * row_bytes));
  REQUIRE(task.part_count < most_parts);
  task.parts[task.part_count++] = {pieces.back().data(),     rows.begin,     rows.end, 0,
                                   static_cast<i64>(number), is_kept ? 1 : 0};
}

GraphResult run_block(device::BlockKernel& kernel, const GraphTask& task) {
  device::u64 ready = 1, stop = 0, abort = 0, done = 0, failed = 0, skipped = 0;
  GraphResult result{};
  kernel.run({&ready, &stop, &abort, &done, &failed, &skipped, &task, &result, 1, sizeof task, sizeof result, 0, 1});
  REQUIRE(done == 1);
  return result;
}

/// The CPU with so many threads, from 1 to 3.
device::Context& cpu_of(int threads) {
  static device::CpuContext contexts[] = {device::CpuContext(1), device::CpuContext(2), device::CpuContext(3)};
  return contexts[threads - 1];
}

/// The kept nodes as their stored types have them. @param inputs as they are stored
class Slabs {
 public:
  Slabs(const GraphSpec& spec, const std::vector<std::vector<std::byte>>& inputs)
      : spec_(spec), graph_(*spec.graph), inputs_(inputs) {
    for (const Kept& kept : graph_.kept) {
      const Shape shape = graph_.shape(kept.value);
      made_.emplace_back(static_cast<std::size_t>(shape.rows) * row_bytes(kept));
    }
  }
  std::vector<std::vector<std::byte>> run(device::Context& context) {
    const auto kernel = graph_methods().front().make(spec_, context, nullptr);
    for (i64 slab = 0; slab < slabs_of(spec_); ++slab) run_slab(*kernel, slab);
    return made_;
  }
  GraphResult last() const { return last_; }

  std::vector<double> numbers;            // that tasks bring
  std::vector<std::vector<i64>> reduced;  // memory of reductions

 private:
  std::size_t row_bytes(const Kept& kept) const {
    return static_cast<std::size_t>(graph_.shape(kept.value).columns) * size_of(kept.type);
  }
  void run_slab(device::BlockKernel& kernel, i64 slab) {
    GraphTask task{};
    task.slab = slab;
    std::ranges::copy(numbers, task.numbers);
    for (std::size_t n = 0; n < reduced.size(); ++n) task.reduced[n] = reduced[n].data();
    Pieces pieces;
    const std::vector<Rows> needed = rows_needed(spec_, slab);
    for (std::size_t n = 0; n < inputs_.size(); ++n) {
      const i64 columns = graph_.inputs[n].shape.columns;
      const i64 bytes = columns * static_cast<i64>(size_of(graph_.inputs[n].type));
      const Rows read = needed[n].joined(most_ranges_read);
      for (const Range& rows : read.ranges()) {
        add_part(task, pieces, rows, bytes, n, false);
        task.parts[task.part_count - 1].stride = columns;
        std::memcpy(pieces.back().data(), inputs_[n].data() + rows.begin * bytes, pieces.back().size());
      }
    }
    for (std::size_t n = 0; n < graph_.kept.size(); ++n) {
      const Range rows = rows_of_slab(spec_, slab, n);
      if (rows.size() == 0) continue;
      CHECK(rows.size() <= most_rows_of_slab(spec_, n));
      add_part(task, pieces, rows, static_cast<i64>(row_bytes(graph_.kept[n])), n, true);
      task.parts[task.part_count - 1].stride = graph_.shape(graph_.kept[n].value).columns;
    }
    last_ = run_block(kernel, task);
    for (i64 at = 0; at < task.part_count; ++at) {
      const Part& part = task.parts[at];
      if (part.is_kept == 0) continue;
      const auto number = static_cast<std::size_t>(part.number);
      std::memcpy(made_[number].data() + static_cast<std::size_t>(part.begin) * row_bytes(graph_.kept[number]),
                  part.data, pieces[static_cast<std::size_t>(at)].size());
    }
  }

  const GraphSpec& spec_;
  const Graph& graph_;
  const std::vector<std::vector<std::byte>>& inputs_;
  std::vector<std::vector<std::byte>> made_;
  GraphResult last_{};
};

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Compares kept nodes with the definition, at several heights of slabs.
template <class T>
void check_graph(testing::Random& random, const Graph& graph) {
  std::vector<Array<T>> inputs;
  std::vector<std::vector<std::byte>> stored;
  for (const Input& input : graph.inputs) {
    inputs.push_back(testing::random_array<T>(random, input.shape));
    stored.push_back(bytes_of(inputs.back().values));
  }
  const std::vector<Array<T>> all = compute_as_defined(graph, inputs);
  GraphSpec spec{std::make_shared<Graph>(graph), 1};
  const i64 rows = most_kept_rows(graph);
  for (const i64 height : {i64{1}, i64{2}, i64{drawn(random, 1, static_cast<int>(rows))}, rows}) {
    spec.slab_rows = height;
    const auto made = Slabs(spec, stored).run(cpu_of(drawn(random, 1, 3)));
    for (std::size_t n = 0; n < graph.kept.size(); ++n) {
      const Array<T>& expected = all[static_cast<std::size_t>(graph.kept[n].value)];
      std::size_t different = 0;
      for (std::size_t at = 0; at < expected.values.size(); ++at) {
        T value;
        std::memcpy(&value, made[n].data() + at * sizeof(T), sizeof value);
        if (!testing::same_bits(value, expected.values[at])) ++different;
      }
      CAPTURE(n, height, rows, graph.node(graph.kept[n].value).name);
      CHECK(different == 0);
    }
  }
}

TEST_CASE("random graphs in slabs are as they are defined") {
  testing::Random random(36);
  for (int n = 0; n < 6; ++n) {
    for (const Shape shape : testing::sample_shapes) {
      const int nodes = drawn(random, 1, 12);
      check_graph<float>(random, testing::random_graph(random, ElementType::f32, shape, nodes));
      check_graph<double>(random, testing::random_graph(random, ElementType::f64, shape, nodes));
    }
  }
}

TEST_CASE("random graphs of formulas and iterations in slabs are as they are defined") {
  testing::Random random(37);
  for (int n = 0; n < 25; ++n) {
    for (const Shape shape : testing::sample_shapes) {
      const int nodes = drawn(random, 1, 6);
      check_graph<float>(random, testing::random_written_graph(random, ElementType::f32, shape, nodes));
      check_graph<double>(random, testing::random_written_graph(random, ElementType::f64, shape, nodes));
    }
  }
}

/// A graph of one node.
Graph graph_of(const char* name, const NodeSettings& settings, ElementType stored, Shape shape) {
  Graph graph;
  graph.inputs = {{"a", stored, shape}};
  Node node;
  node.op = find_operator(name).value();
  node.operands = {0};
  node.settings = settings;
  REQUIRE(take_shape(node, {shape}, std::nullopt).empty());
  graph.nodes = {node};
  return graph;
}

TEST_CASE("whole numbers are scaled on their way in and out") {
  NodeSettings same;
  same.numbers = {1, 0};
  Graph graph = graph_of("scale", same, ElementType::u8, {16, 16});
  graph.kept = {{1, ElementType::u8}, {1, ElementType::u16}, {1, ElementType::f32}};
  std::vector<std::uint8_t> values;
  for (int n = 0; n < 256; ++n) values.push_back(static_cast<std::uint8_t>(n));
  const auto made = Slabs({std::make_shared<Graph>(graph), 3}, {bytes_of(values)}).run(cpu_of(2));
  CHECK(made[0] == bytes_of(values));
  for (std::size_t n = 0; n < 256; ++n) {
    std::uint16_t wide;
    float real;
    std::memcpy(&wide, made[1].data() + 2 * n, 2);
    std::memcpy(&real, made[2].data() + 4 * n, 4);
    CHECK(wide == 257 * n);
    CHECK(real == static_cast<float>(n) / 255.0F);
  }
}

TEST_CASE("whole numbers are rounded to the nearest and clamped") {
  NodeSettings same;
  same.numbers = {1, 0};
  Graph graph = graph_of("scale", same, ElementType::f64, {1, 6});
  graph.type = ElementType::f64;
  graph.kept = {{1, ElementType::u8}};
  const std::vector<double> values = {-0.5, 2, 0.5 / 255, 1.5 / 255, 0.499 / 255, 254.7 / 255};
  const auto made = Slabs({std::make_shared<Graph>(graph), 1}, {bytes_of(values)}).run(cpu_of(1));
  CHECK(made[0] == bytes_of<std::uint8_t>({0, 255, 0, 2, 0, 255}));
}

TEST_CASE("a NaN of an input is named") {
  NodeSettings same;
  same.numbers = {1, 0};
  Graph graph = graph_of("scale", same, ElementType::f32, {5, 4});
  graph.kept = {{1, ElementType::f32}};
  std::vector<float> values(20, 1);
  values[14] = values[15] = values[17] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::vector<std::byte>> stored = {bytes_of(values)};
  const GraphSpec spec{std::make_shared<Graph>(graph), 5};
  Slabs slabs(spec, stored);
  slabs.run(cpu_of(3));
  const GraphResult found = slabs.last();
  CHECK(found.has_nan == 1);
  CHECK(found.input == 0);
  CHECK(found.row == 3);
  CHECK(found.column == 2);
}

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

TEST_CASE("constants of nodes are numbers of a task, times a factor") {
  testing::Random random(4);
  Graph graph;
  graph.inputs.push_back({"a", ElementType::f32, {5, 4}});
  Node node;
  node.op = find_operator("scale").value();
  node.operands = {0};
  node.settings.numbers = {0, 0.5};
  node.settings.known = {{0, 1, 0.25}};
  node.shape = {5, 4};
  graph.nodes.push_back(node);
  graph.kept.push_back({1, ElementType::f32});
  graph.numbers = 2;
  const Array<float> input = testing::random_array<float>(random, {5, 4});
  const std::vector<std::vector<std::byte>> stored = {bytes_of(input.values)};
  const GraphSpec spec{std::make_shared<Graph>(graph), 2};
  for (const double number : {3.0, 0.1}) {
    Slabs slabs(spec, stored);
    slabs.numbers = {7, number};
    const std::vector<std::vector<std::byte>> made = slabs.run(cpu_of(2));
    std::vector<float> expected;
    for (const float value : input.values) expected.push_back(value * static_cast<float>(number * 0.25) + 0.5F);
    CHECK(made[0] == bytes_of(expected));
  }
}

template <class T>
void check_reductions(testing::Random& random, Shape shape, bool has_nan) {
  Graph graph;
  graph.type = std::is_same_v<T, float> ? ElementType::f32 : ElementType::f64;
  graph.inputs.push_back({"a", graph.type, shape, true});
  const Histogram bins{drawn(random, 1, 20), -1.5, 1.25};
  for (const Measure measure : {Measure::minimum, Measure::maximum, Measure::sum}) {
    graph.reductions.push_back({"number", 0, false, measure, {}});
  }
  graph.reductions.push_back({"counts", 0, true, {}, bins});
  Array<T> input = testing::random_array<T>(random, shape);
  input.values.front() = T{1.25};
  if (has_nan) input.values.back() = std::numeric_limits<T>::quiet_NaN();
  const std::vector<std::vector<std::byte>> stored = {bytes_of(input.values)};
  for (const i64 height : {i64{1}, i64{3}, shape.rows}) {
    const GraphSpec spec{std::make_shared<Graph>(graph), height};
    Slabs slabs(spec, stored);
    slabs.reduced.assign(3, std::vector<i64>(1, -1));
    slabs.reduced.emplace_back(static_cast<std::size_t>(bins.bins), -1);
    slabs.run(cpu_of(drawn(random, 1, 3)));
    for (std::size_t n = 0; n < 3; ++n) {
      const double expected = reduced_as_defined(graph.reductions[n].measure, input);
      CAPTURE(n, height, expected, slabs.last().numbers[n]);
      CHECK(testing::same_bits(slabs.last().numbers[n], expected));
    }
    CHECK(slabs.reduced[3] == counted_as_defined(bins, input));
  }
}

TEST_CASE("reductions do not depend on slabs and threads") {
  testing::Random random(9);
  for (const Shape shape : testing::sample_shapes) {
    check_reductions<float>(random, shape, false);
    check_reductions<double>(random, shape, false);
  }
  check_reductions<float>(random, {40, 77}, true);
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
