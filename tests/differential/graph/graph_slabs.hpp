// Graphs computed slab by slab on any device, against their definition.
#pragma once

#include <catch2/catch.hpp>
#include <cstring>
#include <deque>
#include <iterator>

#include "kernels/device/memory.hpp"
#include "kernels/graph/carry.hpp"
#include "kernels/graph/methods.hpp"
#include "kernels/graph/slabs.hpp"
#include "kernels/graph/task.hpp"
#include "tests/differential/graph/samples.hpp"

namespace terrace::graph::testing {

/// Elements in a row, as they are stored.
using Bytes = std::vector<std::byte>;

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Runs one block.
inline GraphResult run_block(device::Context& context, device::BlockKernel& kernel, const GraphTask& task) {
  struct Words {
    device::u64 ready, stop, abort, done, failed, skipped;
  };
  const device::Memory words(context, sizeof(Words), device::In::host);
  const device::Memory descriptor(context, sizeof task, device::In::host);
  const device::Memory result(context, sizeof(GraphResult), device::In::host);
  auto* at = words.as<Words>();
  *at = {1, 0, 0, 0, 0, 0};
  std::memcpy(descriptor.data(), &task, sizeof task);
  kernel.run({&at->ready, &at->stop, &at->abort, &at->done, &at->failed, &at->skipped, descriptor.data(),
              result.data(), 1, sizeof task, sizeof(GraphResult), 0, 1});
  context.record(device::Queue::compute)->wait();
  REQUIRE(at->done == 1);
  return *result.as<GraphResult>();
}

/// The workspace of a kernel, of which every value is NaN; none on the CPU.
class Workspace {
 public:
  Workspace(const GraphMethod& method, const GraphSpec& spec, device::Context& context) {
    if (method.backend == device::Backend::cpu) return;
    const std::size_t bytes = method.workspace(spec, context.limits());
    memory_.emplace(context, bytes);
    const device::Memory nan(context, bytes, device::In::host);
    std::memset(nan.data(), 0xFF, bytes);
    context.copy(device::Queue::up, memory_->data(), nan.data(), bytes);
    context.record(device::Queue::up)->wait();
  }
  void* data() const { return memory_ ? memory_->data() : nullptr; }

 private:
  std::optional<device::Memory> memory_;
};

/// A graph on a device.
class Slabs {
 public:
  /// @param inputs as they are stored
  Slabs(const GraphSpec& spec, const std::vector<Bytes>& inputs) : spec_(spec), graph_(*spec.graph), inputs_(inputs) {
    for (const Kept& kept : graph_.kept) {
      made_.emplace_back(static_cast<std::size_t>(graph_.shape(kept.value).rows) * row_bytes(kept));
    }
  }
  /// The kept nodes as their stored types have them. @param name of a method of the device's back end
  std::vector<Bytes> run(device::Context& context, const char* name = "plain") {
    const GraphMethod* method = device::find_method(graph_methods(), device::backend_of(context), name);
    REQUIRE(method != nullptr);
    REQUIRE(method->unfit(spec_, context.limits()).empty());
    const Workspace workspace(*method, spec_, context);
    const auto kernel = method->make(spec_, context, workspace.data());
    Memories reductions;
    for (const Reduction& own : graph_.reductions) {
      reductions.emplace_back(context, sizeof(i64) * static_cast<std::size_t>(own.elements()), device::In::host);
      std::memset(reductions.back().data(), 0xFF, reductions.back().bytes());
    }
    Memories carries;
    for (const int first : carriers_of(spec_)) {
      const i64 values =
          carry_rows(*graph_.node(first).settings.iteration, spec_.pass_steps) * graph_.shape(first).columns;
      carries.emplace_back(context, static_cast<std::size_t>(values) * size_of(graph_.type), device::In::host);
      std::memset(carries.back().data(), 0xFF, carries.back().bytes());
    }
    for (i64 slab = 0; slab < slabs_of(spec_); ++slab) run_slab(context, *kernel, reductions, carries, slab);
    for (const device::Memory& memory : reductions) {
      reduced.emplace_back(memory.as<i64>(), memory.as<i64>() + memory.bytes() / sizeof(i64));
    }
    return made_;
  }
  /// What the last slab reported.
  GraphResult last() const { return last_; }

  std::vector<double> numbers;            // that tasks bring
  std::vector<std::vector<i64>> reduced;  // memory of reductions

 private:
  /// The memory of a part: exactly its rows.
  using Memories = std::deque<device::Memory>;

  std::size_t row_bytes(const Kept& kept) const {
    return static_cast<std::size_t>(graph_.shape(kept.value).columns) * size_of(kept.type);
  }
  static void add_part(GraphTask& task, Memories& memories, device::Context& context, Range rows, std::size_t bytes,
                       const Part& part) {
    memories.emplace_back(context, static_cast<std::size_t>(rows.size()) * bytes, device::In::host);
    std::memset(memories.back().data(), 0xFF, memories.back().bytes());
    REQUIRE(task.part_count < most_parts);
    task.parts[task.part_count] = part;
    task.parts[task.part_count].data = memories.back().data();
    task.parts[task.part_count].begin = rows.begin;
    task.parts[task.part_count++].end = rows.end;
  }
  /// The rows of a kept node in a slab lie in one tile, or in two.
  static std::vector<Range> tiles_of(Range rows, i64 slab) {
    if (rows.size() < 2 || slab % 2 == 0) return {rows};
    return {{rows.begin, rows.begin + 1}, {rows.begin + 1, rows.end}};
  }
  void run_slab(device::Context& context, device::BlockKernel& kernel, const Memories& reductions,
                const Memories& carries, i64 slab) {
    GraphTask task{};
    task.slab = slab;
    std::ranges::copy(numbers, task.numbers);
    for (std::size_t n = 0; n < reductions.size(); ++n) task.reduced[n] = reductions[n].data();
    for (std::size_t n = 0; n < carries.size(); ++n) task.carried[n] = carries[n].data();
    Memories memories;
    const std::vector<Rows> needed = rows_needed(spec_, slab);
    for (std::size_t n = 0; n < inputs_.size(); ++n) {
      const i64 columns = graph_.inputs[n].shape.columns;
      const auto bytes = static_cast<std::size_t>(columns) * size_of(graph_.inputs[n].type);
      const Rows read = needed[n].joined(most_ranges_read);
      for (const Range& rows : read.ranges()) {
        add_part(task, memories, context, rows, bytes, {nullptr, 0, 0, columns, static_cast<i64>(n), 0});
        std::memcpy(memories.back().data(), inputs_[n].data() + static_cast<std::size_t>(rows.begin) * bytes,
                    memories.back().bytes());
      }
    }
    for (std::size_t n = 0; n < graph_.kept.size(); ++n) {
      const Range rows = rows_of_slab(spec_, slab, n);
      CHECK(rows.size() <= most_rows_of_slab(spec_, n));
      if (rows.size() == 0) continue;
      const i64 columns = graph_.shape(graph_.kept[n].value).columns;
      for (const Range& tile : tiles_of(rows, slab)) {
        add_part(task, memories, context, tile, row_bytes(graph_.kept[n]),
                 {nullptr, 0, 0, columns, static_cast<i64>(n), 1});
      }
    }
    last_ = run_block(context, kernel, task);
    for (i64 at = 0; at < task.part_count; ++at) {
      const Part& part = task.parts[at];
      if (part.is_kept == 0) continue;
      const auto number = static_cast<std::size_t>(part.number);
      std::memcpy(made_[number].data() + static_cast<std::size_t>(part.begin) * row_bytes(graph_.kept[number]),
                  part.data, memories[static_cast<std::size_t>(at)].bytes());
    }
  }

  const GraphSpec& spec_;
  const Graph& graph_;
  const std::vector<Bytes>& inputs_;
  std::vector<Bytes> made_;
  GraphResult last_{};
};

/// The methods of a device's back end that compute a spec, without those that make nodes, or steps of iterations, by
/// kernels which they compile for every graph.
inline std::vector<const char*> methods_for(const GraphSpec& spec, const device::Context& context) {
  std::vector<const char*> all;
  for (const GraphMethod& method : graph_methods()) {
    const std::string name = method.name;
    const bool is_tried = name != "fused" && name != "mixed";
    if (is_tried && method.backend == device::backend_of(context) && method.unfit(spec, context.limits()).empty())
      all.push_back(method.name);
  }
  return all;
}

/// Times by which strips of any height pay that fit a cache, which holds some part of all values.
inline std::shared_ptr<const TimeTable> random_times(Random& random, const GraphSpec& spec) {
  const auto bytes = static_cast<double>(most_bytes_needed(spec));
  return std::make_shared<TimeTable>(TimeTable{0, bytes / drawn(random, 1, 6), {{1, 0, 1}}});
}

/// The slabs and schedules by which a graph is tried.
struct Trial {
  std::vector<i64> heights = {};              // of slabs; empty: several
  bool carries = false;                       // if slabs hand rows on
  compiled::CxxCompiler compiler = {};        // of formulas on the CPU
  std::vector<std::string> methods = {};      // empty: methods_for()
  std::vector<std::vector<int>> groups = {};  // as GraphSpec has them
};

/// Compares kept nodes with the definition.
template <class T>
void check_graph(device::Context& context, Random& random, const Graph& graph, Trial trial) {
  std::vector<Array<T>> inputs;
  std::vector<Bytes> stored;
  for (const Input& input : graph.inputs) {
    inputs.push_back(random_array<T>(random, input.shape));
    stored.push_back(bytes_of(inputs.back().values));
  }
  const std::vector<Array<T>> all = compute_as_defined(graph, inputs);
  GraphSpec spec{std::make_shared<Graph>(graph), 1};
  spec.compiler = trial.compiler;
  spec.groups = std::make_shared<std::vector<std::vector<int>>>(trial.groups);
  const i64 rows = most_kept_rows(graph);
  if (trial.heights.empty()) trial.heights = {1, 2, drawn(random, 1, static_cast<int>(rows)), rows};
  for (const i64 height : trial.heights) {
    spec.slab_rows = height;
    spec.times = random_times(random, spec);
    std::vector<std::string> methods = trial.methods;
    if (methods.empty()) std::ranges::copy(methods_for(spec, context), std::back_inserter(methods));
    CHECK(!methods.empty());
    for (const std::string& method : methods) {
      const GraphMethod* own = device::find_method(graph_methods(), device::backend_of(context), method);
      spec.pass_steps = trial.carries ? pass_steps_of(*own, spec, context.limits()) : 0;
      const auto made = Slabs(spec, stored).run(context, method.c_str());
      for (std::size_t n = 0; n < graph.kept.size(); ++n) {
        const Array<T>& expected = all[static_cast<std::size_t>(graph.kept[n].value)];
        std::size_t different = 0;
        for (std::size_t at = 0; at < expected.values.size(); ++at) {
          T value;
          std::memcpy(&value, made[n].data() + at * sizeof(T), sizeof value);
          if (!same_bits(value, expected.values[at])) ++different;
        }
        CAPTURE(method, n, height, rows, graph.node(graph.kept[n].value).name);
        CHECK(different == 0);
      }
    }
  }
}

template <class T>
void check_graph(device::Context& context, Random& random, const Graph& graph, std::vector<i64> heights = {},
                 bool carries = false, const compiled::CxxCompiler& compiler = {}) {
  check_graph<T>(context, random, graph, Trial{std::move(heights), carries, compiler});
}

/// A graph of one node.
inline Graph graph_of(const char* name, const NodeSettings& settings, ElementType stored, Shape shape) {
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

/// Whole numbers are scaled on their way in and out.
inline void check_scaling(device::Context& context) {
  NodeSettings same;
  same.numbers = {1, 0};
  Graph graph = graph_of("scale", same, ElementType::u8, {16, 16});
  graph.kept = {{1, ElementType::u8}, {1, ElementType::u16}, {1, ElementType::f32}};
  std::vector<std::uint8_t> values;
  for (int n = 0; n < 256; ++n) values.push_back(static_cast<std::uint8_t>(n));
  const auto made = Slabs({std::make_shared<Graph>(graph), 3}, {bytes_of(values)}).run(context);
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

/// Whole numbers are rounded to the nearest and clamped.
inline void check_rounding(device::Context& context) {
  NodeSettings same;
  same.numbers = {1, 0};
  Graph graph = graph_of("scale", same, ElementType::f64, {1, 6});
  graph.type = ElementType::f64;
  graph.kept = {{1, ElementType::u8}};
  const std::vector<double> values = {-0.5, 2, 0.5 / 255, 1.5 / 255, 0.499 / 255, 254.7 / 255};
  const auto made = Slabs({std::make_shared<Graph>(graph), 1}, {bytes_of(values)}).run(context);
  CHECK(made[0] == bytes_of<std::uint8_t>({0, 255, 0, 2, 0, 255}));
}

/// Constants of nodes are numbers of a task, times a factor.
inline void check_numbers(device::Context& context, const char* method = "plain",
                          std::shared_ptr<const std::vector<std::vector<int>>> groups = nullptr) {
  Random random(4);
  NodeSettings settings;
  settings.numbers = {0, 0.5};
  settings.known = {{0, 1, 0.25}};
  Graph graph = graph_of("scale", settings, ElementType::f32, {5, 4});
  graph.kept.push_back({1, ElementType::f32});
  graph.numbers = 2;
  const Array<float> input = random_array<float>(random, {5, 4});
  const std::vector<Bytes> stored = {bytes_of(input.values)};
  const GraphSpec spec{.graph = std::make_shared<Graph>(graph), .slab_rows = 2, .groups = std::move(groups)};
  for (const double number : {3.0, 0.1}) {
    Slabs slabs(spec, stored);
    slabs.numbers = {7, number};
    const std::vector<Bytes> made = slabs.run(context, method);
    std::vector<float> expected;
    for (const float value : input.values) expected.push_back(value * static_cast<float>(number * 0.25) + 0.5F);
    CHECK(made[0] == bytes_of(expected));
  }
}

/// Displacements along rows in a range, of which some are NaN.
template <class T>
Array<T> random_moves(Random& random, Shape shape, double low, double high) {
  Array<T> made{shape, {}};
  for (i64 n = 0; n < shape.rows * shape.columns; ++n) {
    const bool is_nan = drawn(random, 0, 9) == 0;
    made.values.push_back(is_nan ? std::numeric_limits<T>::quiet_NaN()
                                 : static_cast<T>(drawn_number(random, low, high)));
  }
  return made;
}

/// The smallest and the largest displacement, as numbers of a graph.
template <class T>
std::vector<double> moves_in(const Array<T>& displacements) {
  return {reduced_as_defined(Measure::minimum_number, displacements),
          reduced_as_defined(Measure::maximum_number, displacements)};
}

/// A warp of a node, whose slabs read the rows that its displacements allow.
template <class T>
void check_moves(device::Context& context, Random& random, Shape shape, double low, double high) {
  Graph graph;
  graph.type = std::is_same_v<T, float> ? ElementType::f32 : ElementType::f64;
  graph.numbers = 2;
  for (const char* name : {"a", "u", "v"}) graph.inputs.push_back({name, graph.type, shape, true});
  NodeSettings box, warp;
  box.row_radius = box.column_radius = 1;
  warp.moves = {0, 1};
  const auto add = [&](const char* name, const NodeSettings& settings, const std::vector<int>& operands) {
    Node node;
    node.name = name;
    node.op = find_operator(name).value();
    node.operands = operands;
    node.settings = settings;
    REQUIRE(take_shape(node, std::vector<Shape>(operands.size(), shape), std::nullopt).empty());
    graph.nodes.push_back(node);
  };
  add("box_sum", box, {0});
  add("warp", warp, {3, 1, 2});
  graph.kept = {{4, graph.type}};
  const std::vector<Array<T>> inputs = {random_array<T>(random, shape), random_moves<T>(random, shape, -3, 3),
                                        random_moves<T>(random, shape, low, high)};
  std::vector<Bytes> stored;
  for (const Array<T>& input : inputs) stored.push_back(bytes_of(input.values));
  const Array<T> expected = compute_as_defined(graph, inputs).back();
  for (const i64 height : {i64{1}, i64{3}, shape.rows}) {
    const GraphSpec spec{std::make_shared<Graph>(graph), height, moves_in(inputs[2])};
    Slabs slabs(spec, stored);
    slabs.numbers = spec.known;
    const std::vector<Bytes> made = slabs.run(context);
    std::size_t different = 0;
    for (std::size_t at = 0; at < expected.values.size(); ++at) {
      T value;
      std::memcpy(&value, made[0].data() + at * sizeof(T), sizeof value);
      if (!same_bits(value, expected.values[at])) ++different;
    }
    CAPTURE(height, shape.rows, shape.columns, low, high);
    CHECK(different == 0);
  }
}

/// The same over ranges that lie around the rows, above them and below.
inline void check_moves(device::Context& context) {
  Random random(12);
  for (const Shape shape : {Shape{40, 9}, Shape{7, 13}, Shape{3, 3}, Shape{101, 2}}) {
    for (const auto& [low, high] : {std::pair(-1.5, 2.25), {4, 6.5}, {-9, -7.5}, {-300, 5}, {0, 0}, {250, 300}}) {
      check_moves<float>(context, random, shape, low, high);
      check_moves<double>(context, random, shape, low, high);
    }
  }
}

/// Reductions are as they are defined, in any slabs.
template <class T>
void check_reductions(device::Context& context, Random& random, Shape shape, i64 most_bins, bool has_nan) {
  Graph graph;
  graph.type = std::is_same_v<T, float> ? ElementType::f32 : ElementType::f64;
  graph.inputs.push_back({"a", graph.type, shape, true});
  const Histogram bins{{drawn(random, 1, static_cast<int>(most_bins)), -1.5, 1.25}};
  constexpr Measure measures[] = {Measure::minimum, Measure::maximum, Measure::sum, Measure::minimum_number,
                                  Measure::maximum_number};
  for (const Measure measure : measures) {
    graph.reductions.push_back({"number", 0, Makes::number, measure, {}, {}});
  }
  graph.reductions.push_back({"counts", 0, Makes::counts, {}, bins, {}});
  const std::size_t lists = graph.reductions.size();
  const i64 cells = shape.rows * shape.columns;
  for (const i64 most : {cells / 4 + 1, cells}) {
    graph.reductions.push_back({"positions", 0, Makes::positions, {}, {}, {most}});
  }
  Array<T> input = random_array<T>(random, shape);
  input.values.front() = T{1.25};
  if (has_nan) input.values.back() = std::numeric_limits<T>::quiet_NaN();
  const std::vector<Bytes> stored = {bytes_of(input.values)};
  for (const i64 height : {i64{1}, i64{3}, shape.rows}) {
    const GraphSpec spec{std::make_shared<Graph>(graph), height};
    Slabs slabs(spec, stored);
    slabs.run(context);
    for (std::size_t n = 0; n < std::size(measures); ++n) {
      const double expected = reduced_as_defined(graph.reductions[n].measure, input);
      CAPTURE(n, height, expected, slabs.last().numbers[n]);
      CHECK(same_bits(slabs.last().numbers[n], expected));
    }
    CHECK(slabs.reduced[std::size(measures)] == counted_as_defined(bins, input));
    const auto positive = std::ranges::count_if(input.values, [](T value) { return value > 0; });
    for (std::size_t n = lists; n < graph.reductions.size(); ++n) {
      CHECK(slabs.reduced[n] == listed_as_defined(graph.reductions[n].positions, input));
      CHECK(slabs.last().numbers[n] == static_cast<double>(positive));
    }
  }
}

/// The first NaN of an input is named, but of inputs that nodes have made.
inline void check_nan(device::Context& context, const char* method = "plain",
                      std::shared_ptr<const std::vector<std::vector<int>>> groups = nullptr) {
  NodeSettings same;
  same.numbers = {1, 0};
  Graph graph = graph_of("scale", same, ElementType::f32, {5, 4});
  graph.kept = {{1, ElementType::f32}};
  std::vector<float> values(20, 1);
  values[14] = values[15] = values[17] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Bytes> stored = {bytes_of(values)};
  const GraphSpec spec{.graph = std::make_shared<Graph>(graph), .slab_rows = 5, .groups = groups};
  Slabs slabs(spec, stored);
  slabs.run(context, method);
  const GraphResult found = slabs.last();
  CHECK(found.has_nan == 1);
  CHECK(found.input == 0);
  CHECK(found.row == 3);
  CHECK(found.column == 2);
  graph.inputs[0].may_be_nan = true;
  const GraphSpec made{.graph = std::make_shared<Graph>(graph), .slab_rows = 5, .groups = groups};
  Slabs others(made, stored);
  const std::vector<Bytes> kept = others.run(context, method);
  CHECK(others.last().has_nan == 0);
  float value = 0;
  std::memcpy(&value, kept[0].data() + 15 * sizeof value, sizeof value);
  CHECK(std::isnan(value));
}

}  // namespace terrace::graph::testing
