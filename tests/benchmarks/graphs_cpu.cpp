// Iterations of a graph on the CPU, by every method that computes them, beside an OpenMP loop: steps of the optical
// flow of Horn and Schunck; and a stencil of 5 x 5. The loops contract nothing, and their cells are the same to the
// bit. Where others use the processors the times of these compare better, of one thread, or with
// OMP_WAIT_POLICY=passive.
//
// With a number of rows of a slab the steps are made slab by slab, each of which hands rows on to the next one.
//
//   benchmark_graphs_cpu [SIDE [STEPS [THREADS [ROWS]]]]     by default 4096, 20, the machine's, and one slab
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kernels/compiled/store.hpp"
#include "kernels/device/cpu_context.hpp"
#include "kernels/device/memory.hpp"
#include "kernels/graph/carry.hpp"
#include "kernels/graph/iteration.hpp"
#include "kernels/graph/methods.hpp"
#include "kernels/graph/operators.hpp"
#include "kernels/graph/slabs.hpp"
#include "kernels/graph/task.hpp"
#include "tests/benchmarks/flow_loop.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace::graph {
namespace {

constexpr int rounds = 5;

/// The least times of some rounds, in seconds: by the clock, and of the processors.
struct Times {
  double clock = 1e30, processors = 1e30;

  void add(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t used = std::clock();
    work();
    processors = std::min(processors, static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC);
    clock = std::min(clock, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
};

/// Steps from inputs u, v, x, y, z and d.
Graph flow_graph(Shape shape, i64 steps) {
  auto iteration = std::make_shared<Iteration>();
  const std::vector<std::string> names = {"u", "v", "x", "y", "z", "d"};
  for (const std::string& name : names) iteration->body.inputs.push_back({name, ElementType::f32, shape});
  const std::string u = "(u[0, -1] + u[0, 1] + u[1, 0] + u[-1, 0]) * 0.25",
                    v = "(v[0, -1] + v[0, 1] + v[1, 0] + v[-1, 0]) * 0.25",
                    share = "((x*(" + u + ") + y*(" + v + ") + z) / d)";
  for (const std::string& text : {u + " - x*" + share, v + " - y*" + share}) {
    Node node;
    node.op = find_operator("formula").value();
    node.operands = {0, 1, 2, 3, 4, 5};
    node.settings = settings_of(parse_node_formula(text, names, shape, ElementType::f32), Boundary::edge);
    node.shape = shape;
    iteration->next.push_back(iteration->body.values());
    iteration->body.nodes.push_back(std::move(node));
  }
  iteration->times = steps;
  complete(*iteration);
  Graph graph;
  graph.inputs = iteration->body.inputs;
  for (int state = 0; state < 2; ++state) {
    Node node;
    node.name = state == 0 ? "u" : "v";
    node.op = find_operator("iterate").value();
    node.operands = {0, 1, 2, 3, 4, 5};
    node.settings = settings_of(iteration, state);
    node.shape = shape;
    graph.kept.push_back({graph.values(), ElementType::f32});
    graph.nodes.push_back(std::move(node));
  }
  return graph;
}

/// A graph in slabs, all of whose arrays are in memory.
class Slabs {
 public:
  /// @param rows of a slab; 0: all
  Slabs(Graph graph, device::Context& context, i64 rows = 0)
      : context_(context), spec_{std::make_shared<Graph>(std::move(graph)), 0} {
    spec_.slab_rows = rows > 0 ? rows : shape().rows;
    if (slabs_of(spec_) > 1) spec_.pass_steps = 1;
    for (const int first : carriers_of(spec_)) {
      const i64 values = carry_rows(*spec_.graph->node(first).settings.iteration, 1) * shape().columns;
      carries_.emplace_back(static_cast<std::size_t>(values));
    }
    spec_.compiler = compiled::find_cxx();
    const auto cells = static_cast<std::size_t>(shape().rows * shape().columns);
    for (std::size_t n = 0; n < spec_.graph->inputs.size(); ++n) {
      std::vector<float>& made = arrays.emplace_back(cells);
      for (std::size_t at = 0; at < cells; ++at) {
        const auto random = static_cast<std::uint32_t>((at + n * cells) * 2654435761u) >> 8;
        made[at] = static_cast<float>(random) / 16777216 + (n == 5 ? 0.5F : 0);
      }
    }
    for (std::size_t n = 0; n < spec_.graph->kept.size(); ++n) kept.emplace_back(cells);
  }
  const GraphSpec& spec() const { return spec_; }
  Shape shape() const { return spec_.graph->inputs.front().shape; }

  std::unique_ptr<device::BlockKernel> kernel(const GraphMethod& method) const {
    return method.make(spec_, context_, nullptr);
  }
  void run(device::BlockKernel& kernel) {
    struct Words {
      device::u64 ready, stop, abort, done, failed, skipped;
    };
    GraphTask task{};
    const Shape all = shape();
    for (std::size_t n = 0; n < arrays.size(); ++n)
      task.parts[task.part_count++] = {arrays[n].data(), 0, all.rows, all.columns, static_cast<i64>(n), 0};
    for (std::size_t n = 0; n < kept.size(); ++n)
      task.parts[task.part_count++] = {kept[n].data(), 0, all.rows, all.columns, static_cast<i64>(n), 1};
    for (std::size_t n = 0; n < carries_.size(); ++n) task.carried[n] = carries_[n].data();
    const device::Memory words(context_, sizeof(Words), device::In::host);
    const device::Memory result(context_, sizeof(GraphResult), device::In::host);
    auto* at = words.as<Words>();
    for (; task.slab < slabs_of(spec_); ++task.slab) {
      *at = {1, 0, 0, 0, 0, 0};
      kernel.run({&at->ready, &at->stop, &at->abort, &at->done, &at->failed, &at->skipped, &task, result.data(), 1,
                  sizeof task, sizeof(GraphResult), 0, 1});
      if (at->done != 1 || result.as<GraphResult>()->has_nan != 0) fmt::print("WRONG: not done\n");
    }
  }

  std::vector<std::vector<float>> arrays, kept;

 private:
  device::Context& context_;
  GraphSpec spec_;
  std::vector<std::vector<float>> carries_;
};

/// The same steps by the loop.
class Loop {
 public:
  explicit Loop(const Slabs& slab) : slab_(slab) {
    for (std::size_t n = 0; n < 2; ++n)
      for (int turn = 0; turn < 2; ++turn) states_[n].push_back(slab.arrays[n]);
  }
  /// Begins anew.
  void load() {
    for (std::size_t n = 0; n < 2; ++n) std::ranges::copy(slab_.arrays[n], states_[n][0].begin());
  }
  void run(i64 steps, int threads) {
    const auto& arrays = slab_.arrays;
    float* const u[2] = {states_[0][0].data(), states_[0][1].data()};
    float* const v[2] = {states_[1][0].data(), states_[1][1].data()};
    last_ = static_cast<std::size_t>(
        run_flow_loop({arrays[2].data(), arrays[3].data(), arrays[4].data(), arrays[5].data()}, u, v,
                      slab_.shape().rows, slab_.shape().columns, steps, threads));
  }
  i64 different() const {
    i64 count = 0;
    for (std::size_t n = 0; n < 2; ++n) {
      for (std::size_t at = 0; at < slab_.kept[n].size(); ++at)
        count += std::memcmp(&slab_.kept[n][at], &states_[n][last_][at], sizeof(float)) != 0 ? 1 : 0;
    }
    return count;
  }

 private:
  const Slabs& slab_;
  std::vector<std::vector<float>> states_[2];
  std::size_t last_ = 0;
};

void compare(i64 side, i64 steps, int threads, i64 rows) {
  device::CpuContext context(threads);
  const test::TempFolder folder;
  compiled::Store store(io::Entry(folder.path() / "modules"));
  context.take_modules_from(&store);
  Slabs slab(flow_graph({side, side}, steps), context, rows);
  Loop loop(slab);
  for (const GraphMethod& method : graph_methods()) {
    if (method.backend != device::Backend::cpu) continue;
    if (const std::string why = method.unfit(slab.spec(), context.limits()); !why.empty()) {
      fmt::print("{:10} unfit: {}\n", method.name, why);
      continue;
    }
    const auto kernel = slab.kernel(method);
    Times own, plain;
    for (int round = 0; round < rounds; ++round) {
      own.add([&] { slab.run(*kernel); });
      loop.load();
      plain.add([&] { loop.run(steps, threads); });
    }
    const double cells = static_cast<double>(side) * static_cast<double>(side) * static_cast<double>(steps);
    fmt::print(
        "{:10} {}^2, {} steps, {} threads: {:8.1f} ms, {:6.0f} M cells/s; loop {:8.1f} ms; {:.2f} times as fast; "
        "of the processors' time {:.1f}, {:.1f} ms, {:.2f} times",
        method.name, side, steps, threads, own.clock * 1e3, cells / own.clock * 1e-6, plain.clock * 1e3,
        plain.clock / own.clock, own.processors * 1e3, plain.processors * 1e3, plain.processors / own.processors);
    const i64 different = loop.different();
    fmt::print("{}\n", different > 0 ? fmt::format("  WRONG: {} cells differ", different) : "");
    std::fflush(stdout);
  }
}

/// A stencil of 5 x 5 beside a loop.
void compare_filters(i64 side, int threads) {
  device::CpuContext context(threads);
  Graph graph;
  graph.inputs.push_back({"a", ElementType::f32, {side, side}});
  Node node;
  node.op = find_operator("stencil").value();
  node.operands = {0};
  node.settings.row_radius = node.settings.column_radius = 2;
  node.settings.boundary = Boundary::edge;
  float coefficients[25];
  for (int n = 0; n < 25; ++n) {
    coefficients[n] = 0.25F * static_cast<float>(n % 7) - 0.5F;
    node.settings.numbers.push_back(coefficients[n]);
  }
  node.shape = {side, side};
  graph.nodes.push_back(node);
  graph.kept.push_back({1, ElementType::f32});
  Slabs slab(std::move(graph), context);
  const auto kernel = slab.kernel(*device::find_method(graph_methods(), device::Backend::cpu, "plain"));
  std::vector<float> made(slab.kept[0].size());
  Times own, plain;
  for (int round = 0; round < rounds; ++round) {
    own.add([&] { slab.run(*kernel); });
    plain.add([&] { run_filter_loop(slab.arrays[0].data(), coefficients, made.data(), side, side, threads); });
  }
  fmt::print(
      "stencil of 5 x 5, {}^2, {} threads: {:.1f} ms; loop {:.1f} ms; of the processors' time {:.1f}, {:.1f} ms{}\n",
      side, threads, own.clock * 1e3, plain.clock * 1e3, own.processors * 1e3, plain.processors * 1e3,
      std::memcmp(made.data(), slab.kept[0].data(), made.size() * sizeof(float)) != 0 ? "  WRONG" : "");
}

}  // namespace
}  // namespace terrace::graph

int main(int count, char** arguments) {
  const auto number = [&](int at, int otherwise) { return count > at ? std::atoi(arguments[at]) : otherwise; };
  const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int side = std::max(2, number(1, 4096)), used = std::max(1, number(3, threads));
  terrace::graph::compare_filters(side, used);
  terrace::graph::compare(side, std::max(0, number(2, 20)), used, std::max(0, number(4, 0)));
}
