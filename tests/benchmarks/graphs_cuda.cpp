// Graphs on CUDA: a whole graph as one slab in device memory, timed by the device's events, by every method that
// computes it. Cells drawn at random are compared with the definition of the graph, and so is the whole of a small
// one. Of iterations rows drawn at random are compared with those of the first method instead.
//
//   benchmark_graphs_cuda [DIVISOR [CASE [METHOD [LAUNCH CACHE RATE]]]]
//     DIVISOR of all extents (1); CASE: a part of a name, as harris, flow, "flow 4096" or "flow 16384"; METHOD:
//     one alone, as streamed ("": all)
//     for ktiler microseconds of a launch (1.7), MB of the cache (40), GB/s from it (6200)
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/compiled/store.hpp"
#include "kernels/device/memory.hpp"
#include "kernels/graph/measured.hpp"
#include "kernels/graph/methods.hpp"
#include "kernels/graph/operator_list.hpp"
#include "kernels/graph/operators.hpp"
#include "kernels/graph/reference/reference.hpp"
#include "kernels/graph/slabs.hpp"
#include "kernels/graph/stored.hpp"
#include "kernels/graph/task.hpp"
#include "tests/benchmarks/benchmark_main.hpp"
#include "tests/benchmarks/flow_graph.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace::graph {
namespace {

/// A graph in the making.
class Builder {
 public:
  explicit Builder(Shape shape) : shape_(shape) {}

  int input(ElementType type) {
    made.inputs.push_back({"input " + std::to_string(made.inputs.size()), type, shape_});
    return made.values() - 1;
  }
  int node(const char* op, std::vector<int> operands, NodeSettings settings = {},
           std::optional<Shape> wanted = std::nullopt) {
    Node node;
    node.name = op;
    node.op = find_operator(op).value();
    node.settings = std::move(settings);
    std::vector<Shape> shapes;
    for (const int operand : operands) shapes.push_back(made.shape(operand));
    node.operands = std::move(operands);
    if (const std::string fault = take_shape(node, shapes, wanted); !fault.empty()) throw std::runtime_error(fault);
    made.nodes.push_back(std::move(node));
    return made.values() - 1;
  }
  /// The graph with its last node kept.
  Graph keep(ElementType type = ElementType::f32) {
    made.kept = {{made.values() - 1, type}};
    return made;
  }

  Graph made;

 private:
  Shape shape_;
};

NodeSettings radius_of(int radius) {
  NodeSettings settings;
  settings.row_radius = settings.column_radius = radius;
  return settings;
}

NodeSettings along(int axis) {
  NodeSettings settings = radius_of(1);
  settings.axis = axis;
  return settings;
}

NodeSettings with_numbers(NodeSettings settings, std::size_t count) {
  for (std::size_t n = 0; n < count; ++n) settings.numbers.push_back(0.125 / static_cast<double>(n + 1));
  return settings;
}

Graph copy(Shape shape) {
  Builder graph(shape);
  NodeSettings settings;
  settings.numbers = {1, 0};
  graph.node("scale", {graph.input(ElementType::f32)}, settings);
  return graph.keep();
}

Graph sobel(Shape shape) {
  Builder graph(shape);
  graph.node("sobel", {graph.input(ElementType::f32)}, along(1));
  return graph.keep();
}

Graph sobel_of_bytes(Shape shape) {
  Builder graph(shape);
  graph.node("sobel", {graph.input(ElementType::u8)}, along(0));
  return graph.keep(ElementType::u8);
}

Graph harris(Shape shape) {
  Builder graph(shape);
  const int image = graph.input(ElementType::f32);
  const int x = graph.node("sobel", {image}, along(1)), y = graph.node("sobel", {image}, along(0));
  const int xx = graph.node("product", {x, x}), xy = graph.node("product", {x, y}),
            yy = graph.node("product", {y, y});
  std::vector<int> sums;
  for (const int product : {xx, xy, yy}) sums.push_back(graph.node("box_sum", {product}, radius_of(1)));
  NodeSettings settings;
  settings.numbers = {0.04};
  graph.node("harris", sums, settings);
  return graph.keep();
}

Graph stencil(Shape shape) {
  Builder graph(shape);
  graph.node("stencil", {graph.input(ElementType::f32)}, with_numbers(radius_of(2), 25));
  return graph.keep();
}

/// @param radius of a stencil whose coefficients are products
template <int radius>
Graph separable(Shape shape) {
  Builder graph(shape);
  NodeSettings settings = with_numbers(radius_of(radius), 4 * radius + 2);
  settings.is_separable = true;
  graph.node("stencil", {graph.input(ElementType::f32)}, settings);
  return graph.keep();
}

Graph box(Shape shape) {
  Builder graph(shape);
  graph.node("box_sum", {graph.input(ElementType::f32)}, radius_of(most_radius));
  return graph.keep();
}

/// The Laplacian pyramids of two images, mixed by the Gaussian one of a mask.
Graph blend(Shape shape) {
  constexpr std::size_t levels = 5;
  Builder graph(shape);
  std::vector<int> sides[3];  // left, right, mask
  for (auto& side : sides) side.push_back(graph.input(ElementType::f32));
  for (std::size_t level = 1; level < levels; ++level) {
    for (auto& side : sides) side.push_back(graph.node("pyramid_down", {side.back()}));
  }
  const auto mix = [&](int left, int right, std::size_t level) {
    return graph.node("mix", {left, right, sides[2][level]});
  };
  int mixed = mix(sides[0].back(), sides[1].back(), levels - 1);
  for (std::size_t level = levels - 1; level-- > 0;) {
    const Shape own = graph.made.shape(sides[0][level]);
    int details[2];
    for (std::size_t n = 0; n < 2; ++n) {
      const int up = graph.node("pyramid_up", {sides[n][level + 1]}, {}, own);
      details[n] = graph.node("subtract", {sides[n][level], up});
    }
    const int both = mix(details[0], details[1], level);
    mixed = graph.node("add", {graph.node("pyramid_up", {mixed}, {}, own), both});
  }
  return graph.keep();
}

/// 500 steps of optical flow; fewer of a small array.
template <bool is_fast>
Graph flow(Shape shape) {
  return flow_graph(shape, shape.rows < 1024 ? 37 : 500, is_fast);
}

/// 100 steps of a wave by a stencil of 5 x 5 cells and two sums: no rows stream.
Graph wave(Shape shape) {
  auto iteration = std::make_shared<Iteration>();
  Builder body(shape), graph(shape);
  const int now = body.input(ElementType::f32), before = body.input(ElementType::f32);
  NodeSettings settings = with_numbers(radius_of(2), 10);
  settings.is_separable = true;
  const int smooth = body.node("stencil", {now}, settings), twice = body.node("add", {now, smooth});
  iteration->next = {body.node("subtract", {twice, before}), now};
  iteration->body = std::move(body.made);
  iteration->times = shape.rows < 1024 ? 11 : 100;
  complete(*iteration);
  const int first = graph.input(ElementType::f32);
  for (int state = 0; state < 2; ++state) graph.node("iterate", {first, first}, settings_of(iteration, state));
  Graph made = graph.keep();
  made.kept[0].value = made.values() - 2;
  return made;
}

struct Case {
  const char* name;
  Graph (*graph)(Shape shape);
  i64 side;
  double bar;  // milliseconds; 0: none
};

constexpr Case all_cases[] = {{"copy", copy, 16384, 0},
                              {"sobel", sobel, 16384, 0},
                              {"sobel of u8", sobel_of_bytes, 16384, 0},
                              {"stencil 5 x 5", stencil, 16384, 0},
                              {"separable 5 x 5", separable<2>, 16384, 0},
                              {"separable 17 x 17", separable<8>, 16384, 0},
                              {"box sum 33 x 33", box, 16384, 0},
                              {"harris", harris, 16384, 1.6},
                              {"blend of 5 levels", blend, 8192, 0},
                              {"wave 8192", wave, 8192, 0},
                              {"flow 2048", flow<false>, 2048, 0},
                              {"flow 4096", flow<false>, 4096, 18},
                              {"flow 8192", flow<false>, 8192, 64},
                              {"flow 16384", flow<false>, 16384, 245},
                              {"fast flow 2048", flow<true>, 2048, 4.6},
                              {"fast flow 4096", flow<true>, 4096, 11.2},
                              {"fast flow 8192", flow<true>, 8192, 43},
                              {"fast flow 16384", flow<true>, 16384, 165}};

/// Cells of a graph, each made from its operands' cells when it is asked for.
class Definition {
 public:
  Definition(const Graph& graph, const std::vector<device::Memory*>& inputs)
      : graph_(graph), inputs_(inputs), numbers_(graph.nodes.size()), known_(graph.nodes.size()) {
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      for (const double number : graph.nodes[n].settings.numbers) numbers_[n].push_back(static_cast<float>(number));
    }
  }

  float at(int value, i64 i, i64 j) {
    const Shape shape = graph_.shape(value);
    if (!graph_.is_node(value)) {
      const void* data = inputs_[static_cast<std::size_t>(value)]->data();
      const i64 element = i * shape.columns + j;
      if (graph_.inputs[static_cast<std::size_t>(value)].type == ElementType::f32)
        return static_cast<const float*>(data)[element];
      return loaded<float>(static_cast<const std::uint8_t*>(data)[element]);
    }
    auto& known = known_[static_cast<std::size_t>(value) - graph_.inputs.size()];
    const auto found = known.find(i * shape.columns + j);
    if (found != known.end()) return found->second;
    const float made = make(value, i, j);
    known.emplace(i * shape.columns + j, made);
    return made;
  }

 private:
  struct Reader {
    Definition& own;
    const Node& node;

    float operator()(int operand, i64 i, i64 j) const {
      const int value = node.operands[static_cast<std::size_t>(operand)];
      const i64 row = index_inside(i, shape().rows, node.settings.boundary);
      return own.at(value, row, index_inside(j, shape().columns, node.settings.boundary));
    }
    Shape shape() const { return own.graph_.shape(node.operands.front()); }
  };
  float make(int value, i64 i, i64 j) {
    const Node& node = graph_.node(value);
    const std::vector<float>& numbers = numbers_[static_cast<std::size_t>(value) - graph_.inputs.size()];
    float made = 0;
    Operators::visit(node.op, [&]<class Op>(Op) {
      made = Op::cell(constants_of(node.settings, numbers.data()), Reader{*this, node}, i, j);
    });
    return made;
  }

  const Graph& graph_;
  const std::vector<device::Memory*>& inputs_;
  std::vector<std::vector<float>> numbers_;
  std::vector<std::map<i64, float>> known_;
};

std::size_t bytes_of(Shape shape, ElementType type) {
  return static_cast<std::size_t>(shape.rows * shape.columns) * size_of(type);
}

/// A graph as one slab on a device, of random inputs.
class OneSlab {
 public:
  OneSlab(Graph graph, device::Context& context, std::mt19937& random)
      : context_(context),
        graph_(std::make_shared<Graph>(std::move(graph))),
        made_(context, bytes_of(kept_shape(), graph_->kept[0].type)) {
    for (const Input& input : graph_->inputs) {
      const std::size_t bytes = bytes_of(input.shape, input.type);
      host_.emplace_back(context, bytes, device::In::host);
      fill(host_.back(), input.type, static_cast<std::uint32_t>(random()));
      inputs_.emplace_back(context, bytes);
      context.copy(device::Queue::up, inputs_.back().data(), host_.back().data(), bytes);
    }
    for (device::Memory& memory : host_) pointers_.push_back(&memory);
    context.record(device::Queue::up)->wait();
  }

  GraphSpec spec() const { return {.graph = graph_, .slab_rows = most_kept_rows(*graph_), .times = times}; }
  Shape kept_shape() const { return graph_->shape(graph_->kept[0].value); }

  /// The least seconds of a few rounds.
  double run(const GraphMethod& method) {
    const device::Memory workspace(context_, method.workspace(spec(), context_.limits()));
    const auto kernel = method.make(spec(), context_, workspace.data());
    double least = 1e30;
    for (int round = 0; round < 5; ++round) least = std::min(least, run_block(*kernel));
    return least;
  }

  /// Cells that differ from the definition, of some that are drawn, or of all.
  i64 different(std::mt19937& random, bool all) {
    const Shape shape = kept_shape();
    if (all) return different_of_all();
    if (graph_->node(graph_->kept[0].value).settings.iteration) return different_from_first();
    Definition definition(*graph_, pointers_);
    i64 count = 0;
    for (int n = 0; n < 40; ++n) {
      const i64 i = static_cast<i64>(random() % static_cast<std::uint64_t>(shape.rows));
      const std::vector<std::byte> row = row_of(i);
      for (int column = 0; column < 20; ++column) {
        const i64 j = n % 8 == 0 ? column % 4 < 2 ? column : shape.columns - 1 - column
                                 : static_cast<i64>(random() % static_cast<std::uint64_t>(shape.columns));
        if (j < 0 || j >= shape.columns) continue;
        if (!is_same(row, j, definition.at(graph_->kept[0].value, i, j))) ++count;
      }
    }
    return count;
  }

  std::shared_ptr<const TimeTable> times;  // by which ktiler cuts

 private:
  /// Cells of some rows that differ from those that were there at the first call.
  i64 different_from_first() {
    i64 count = 0;
    const Shape shape = kept_shape();
    for (i64 n = 0; n < 64; ++n) {
      const i64 row = n < 8 ? n : n < 16 ? shape.rows - 1 - (n - 8) : n * 2654435761 % shape.rows;
      const std::vector<std::byte> now = row_of(row);
      const auto [first, is_new] = first_rows_.try_emplace(row, now);
      if (!is_new) count += std::memcmp(first->second.data(), now.data(), now.size()) == 0 ? 0 : 1;
    }
    return count;
  }
  static void fill(const device::Memory& memory, ElementType type, std::uint32_t seed) {
    for (std::size_t n = 0; n < memory.bytes() / size_of(type); ++n) {
      std::uint32_t bits = static_cast<std::uint32_t>(n) * 2654435761u + seed;
      bits = (bits ^ bits >> 15) * 2246822519u;
      bits ^= bits >> 13;
      if (type == ElementType::u8) memory.as<std::uint8_t>()[n] = static_cast<std::uint8_t>(bits);
      else memory.as<float>()[n] = static_cast<float>(bits >> 8) / 16777216;
    }
  }
  bool is_same(const std::vector<std::byte>& row, i64 j, float expected) const {
    const auto equals = [&]<class Stored>(Stored wanted) {
      return std::memcmp(row.data() + static_cast<std::size_t>(j) * sizeof wanted, &wanted, sizeof wanted) == 0;
    };
    return graph_->kept[0].type == ElementType::u8 ? equals(stored<std::uint8_t>(expected)) : equals(expected);
  }
  /// A row of the kept node.
  std::vector<std::byte> row_of(i64 i) const {
    const std::size_t bytes = static_cast<std::size_t>(kept_shape().columns) * size_of(graph_->kept[0].type);
    const device::Memory row(context_, bytes, device::In::host);
    context_.copy(device::Queue::down, row.data(), made_.as<>() + static_cast<std::size_t>(i) * bytes, bytes);
    context_.record(device::Queue::down)->wait();
    return {row.as<std::byte>(), row.as<std::byte>() + bytes};
  }
  i64 different_of_all() const {
    std::vector<Array<float>> inputs;
    for (std::size_t n = 0; n < host_.size(); ++n) {
      const Input& input = graph_->inputs[n];
      Array<float> array{input.shape, {}};
      for (std::size_t at = 0; at < host_[n].bytes() / size_of(input.type); ++at) {
        array.values.push_back(input.type == ElementType::u8 ? loaded<float>(host_[n].as<std::uint8_t>()[at])
                                                             : host_[n].as<float>()[at]);
      }
      inputs.push_back(std::move(array));
    }
    const auto all = compute_as_defined(*graph_, std::move(inputs));
    const Array<float>& expected = all[static_cast<std::size_t>(graph_->kept[0].value)];
    i64 count = 0;
    for (i64 i = 0; i < expected.shape.rows; ++i) {
      const std::vector<std::byte> row = row_of(i);
      for (i64 j = 0; j < expected.shape.columns; ++j) {
        if (!is_same(row, j, expected.at(i, j))) ++count;
      }
    }
    return count;
  }

  double run_block(device::BlockKernel& kernel) {
    struct Words {
      device::u64 ready, stop, abort, done, failed, skipped;
    };
    GraphTask task{};
    for (std::size_t n = 0; n < inputs_.size(); ++n) {
      const Shape shape = graph_->inputs[n].shape;
      task.parts[task.part_count++] = {inputs_[n].data(), 0, shape.rows, shape.columns, static_cast<i64>(n), 0};
    }
    task.parts[task.part_count++] = {made_.data(), 0, kept_shape().rows, kept_shape().columns, 0, 1};
    const device::Memory words(context_, sizeof(Words), device::In::host);
    const device::Memory descriptor(context_, sizeof task, device::In::host);
    const device::Memory result(context_, sizeof(GraphResult), device::In::host);
    auto* at = words.as<Words>();
    *at = {1, 0, 0, 0, 0, 0};
    std::memcpy(descriptor.data(), &task, sizeof task);
    const auto begin = context_.record(device::Queue::compute);
    kernel.run({&at->ready, &at->stop, &at->abort, &at->done, &at->failed, &at->skipped, descriptor.data(),
                result.data(), 1, sizeof task, sizeof(GraphResult), 0, 1});
    const auto end = context_.record(device::Queue::compute);
    end->wait();
    if (at->done != 1 || result.as<GraphResult>()->has_nan != 0) fmt::print("WRONG: not done\n");
    return end->seconds_since(*begin);
  }

  device::Context& context_;
  std::shared_ptr<const Graph> graph_;
  std::deque<device::Memory> host_, inputs_;
  std::vector<device::Memory*> pointers_;
  device::Memory made_;
  std::map<i64, std::vector<std::byte>> first_rows_;
};

/// Cells of a small array of odd extents that differ.
i64 check_small(const Case& one, const GraphMethod& method, device::Context& context, std::mt19937& random) {
  OneSlab slab(one.graph({213, 651}), context, random);
  // In strips, which this size would not need.
  slab.times = std::make_shared<TimeTable>(TimeTable{0, 213 * 651, {{1, 0, 1}}});
  slab.run(method);
  return slab.different(random, true);
}

void run_case(const Case& one, i64 divisor, const std::string& only, const std::shared_ptr<const TimeTable>& times,
              device::Context& context) {
  std::random_device seed;
  std::mt19937 random(seed());
  const i64 side = std::max<i64>(64, one.side / divisor);
  OneSlab slab(one.graph({side, side}), context, random);
  slab.times = times;
  for (const GraphMethod& method : graph_methods()) {
    if (method.backend != device::Backend::cuda || (!only.empty() && only != method.name)) continue;
    if (const std::string why = method.unfit(slab.spec(), context.limits()); !why.empty()) {
      fmt::print("{:18} {:8} unfit: {}\n", one.name, method.name, why);
      continue;
    }
    const double seconds = slab.run(method);
    const i64 different = slab.different(random, false) + check_small(one, method, context, random);
    const Shape shape = slab.kept_shape();
    const double bytes = method.cost(slab.spec(), context.limits()).bytes * static_cast<double>(shape.rows) *
                         static_cast<double>(shape.columns);
    fmt::print("{:18} {:8} {:6}^2 {:9.3f} ms {:7.0f} GB/s, {:3.0f}% of {:.1f} TB/s", one.name, method.name, side,
               seconds * 1e3, bytes / seconds * 1e-9, 100 * bytes / seconds / measured::cuda_bytes_per_second,
               measured::cuda_bytes_per_second * 1e-12);
    if (one.bar > 0 && divisor == 1) fmt::print(", {:.2f} times the bar of {} ms", seconds * 1e3 / one.bar, one.bar);
    fmt::print("{}\n", different > 0 ? fmt::format("  WRONG: {} cells differ", different) : "");
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace terrace::graph

int main(int count, char** arguments) {
  return terrace::cuda_benchmark_main([&](terrace::device::Context& context) {
    const terrace::test::TempFolder folder;
    terrace::compiled::Store store(terrace::io::Entry(folder.path() / "modules"));
    context.take_modules_from(&store);
    const int divisor = std::max(1, count > 1 ? std::atoi(arguments[1]) : 1);
    const auto number = [&](int at, double other) { return count > at ? std::atof(arguments[at]) : other; };
    const auto times = std::make_shared<terrace::graph::TimeTable>(
        terrace::graph::table_of_rates(number(4, 1.7) * 1e-6, number(5, 40) * 1e6, number(6, 6200) * 1e9,
                                       terrace::graph::measured::cuda_bytes_per_second));
    for (const auto& one : terrace::graph::all_cases) {
      if (std::string(one.name).find(count > 2 ? arguments[2] : "") == std::string::npos) continue;
      terrace::graph::run_case(one, divisor, count > 3 ? arguments[3] : "", times, context);
    }
  });
}
