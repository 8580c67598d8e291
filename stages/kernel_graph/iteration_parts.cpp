#include "stages/kernel_graph/iteration_parts.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/graph/iteration.hpp"
#include "kernels/graph/slabs.hpp"
#include "pipeline/run/expected_time.hpp"
#include "stages/kernel_graph/measured.hpp"

namespace terrace::stages {
namespace {

using graph::Graph;
using graph::Iteration;
using graph::Node;

/// An iteration with another number of steps.
std::shared_ptr<const Iteration> with_times(const Iteration& iteration, std::int64_t times) {
  auto made = std::make_shared<Iteration>(iteration);
  made->times = times;
  return made;
}

/// A graph that makes some steps of an iteration.
Graph graph_of_steps(const Graph& graph, int first, std::int64_t times) {
  Graph made;
  made.type = graph.type;
  Node node = graph.node(first);
  const auto iteration = with_times(*node.settings.iteration, times);
  for (int& operand : node.operands) {
    operand = made.values();
    made.inputs.push_back({"", graph.type, node.shape, true});
  }
  for (int state = 0; state < std::ssize(iteration->next); ++state) {
    node.settings = graph::settings_of(iteration, state);
    made.kept.push_back({made.values(), graph.type});
    made.nodes.push_back(node);
  }
  return made;
}

/// Seconds that a step of an iteration of a part takes over all of its rows.
double seconds_of_step(const PlannedPart& part, int first, const device::Limits& limits) {
  constexpr std::int64_t most_steps = 1000;
  const Graph& graph = *part.spec.graph;
  const std::int64_t slabs = graph::slabs_of(part.spec), rows = graph.shape(first).rows;
  const auto seconds = [&](std::int64_t times) {
    graph::GraphSpec spec = part.spec;
    spec.graph = std::make_shared<const Graph>(graph_of_steps(graph, first, times));
    spec.slab_rows = (rows + slabs - 1) / slabs;
    return cells_of(*spec.graph) * part.method->cost(spec, limits).seconds;
  };
  const std::int64_t times = std::clamp<std::int64_t>(graph.node(first).settings.iteration->times, 2, most_steps);
  return (seconds(times) - seconds(1)) / static_cast<double>(times - 1);
}

/// The first node of an iteration of the whole graph, in a part that makes it.
struct Found {
  const PlannedPart* part;
  int first;
};
std::optional<Found> find(const GraphPlan& plan, const Iteration* iteration) {
  for (const PlannedPart& part : plan.parts()) {
    for (const int first : graph::iterations_of(*part.spec.graph)) {
      if (part.spec.graph->node(first).settings.iteration.get() == iteration) return Found{&part, first};
    }
  }
  return std::nullopt;
}

/// Bytes a second that pass from part to part: in memory if all of them are there, else from and to the next level.
double rate_between_parts(double bytes, const Resources& resources) {
  const auto device = static_cast<double>(resources.device_budget), host = static_cast<double>(resources.host_budget);
  constexpr double most = 0.5;  // of a budget
  if (bytes <= most * (resources.cuda ? device : std::min(device, host))) {
    const double known = resources.device.memory_bytes_per_second;
    return known > 0 ? known : measured::graph_memory_bytes_per_second;
  }
  return resources.cuda && bytes <= most * host ? run::assumed_link_bytes_per_second
                                                : run::assumed_disk_bytes_per_second;
}

std::int64_t steps_of_part(const Found& found, const Resources& resources) {
  const graph::GraphSpec& spec = found.part->spec;
  const Graph& graph = *spec.graph;
  const Iteration& iteration = *graph.node(found.first).settings.iteration;
  if (iteration.times < 2) return 0;
  const double all = seconds_of_step(*found.part, found.first, resources.device);
  const double again =
      graph::work_of(spec) / graph::work_of({.graph = spec.graph, .slab_rows = graph::most_kept_rows(graph)});
  const double of_block = all * again / static_cast<double>(graph::slabs_of(spec));
  const double wanted = resources.cuda ? measured::graph_cuda_block_seconds : measured::graph_block_seconds;
  if (!(static_cast<double>(iteration.times) * of_block > wanted)) return 0;
  const auto arrays = static_cast<double>(iteration.body.inputs.size() + iteration.states());
  const graph::Shape shape = iteration.shape();
  const double bytes = arrays * static_cast<double>(shape.rows) * static_cast<double>(shape.columns) *
                       static_cast<double>(size_of(graph.type));
  const double moving = bytes / rate_between_parts(bytes, resources) / measured::graph_moving_share;
  const double steps = std::max({1.0, wanted / of_block, moving / all});
  return steps < static_cast<double>(iteration.times) ? std::llround(std::ceil(steps)) : 0;
}

/// A graph in which each iteration of more steps than a part is two: one that is stored and renewed, and one that
/// makes the last steps.
class StepStorer {
 public:
  explicit StepStorer(const Graph& whole) : whole_(whole) {
    made_ = whole;
    made_.nodes.clear();
    for (int value = 0; !whole.is_node(value) && value < whole.values(); ++value) values_.push_back(value);
  }

  Graph store(const std::vector<std::int64_t>& steps) && {
    std::size_t number = 0;
    for (auto value = static_cast<int>(values_.size()); value < whole_.values();) {
      const int states = graph::nodes_of_iteration(whole_, value);
      if (states == 0) {
        add(whole_.node(value++));
        continue;
      }
      add_states(value, states, steps.at(number++));
      value += states;
    }
    for (graph::Kept& kept : made_.kept) kept.value = at(kept.value);
    for (graph::Reduction& reduction : made_.reductions) reduction.value = at(reduction.value);
    return std::move(made_);
  }

 private:
  int at(int value) const { return values_[static_cast<std::size_t>(value)]; }
  void add(Node node) {
    for (int& operand : node.operands) operand = at(operand);
    values_.push_back(made_.values());
    made_.nodes.push_back(std::move(node));
  }

  void add_states(int first, int states, std::int64_t steps) {
    const Iteration& whole = *whole_.node(first).settings.iteration;
    if (steps == 0 || steps >= whole.times) {
      for (int n = 0; n < states; ++n) add(whole_.node(first + n));
      return;
    }
    // Parts make about as many steps each.
    const std::int64_t parts = (whole.times + steps - 1) / steps, own = (whole.times + parts - 1) / parts;
    const std::int64_t before = (whole.times - 1) / own;
    const auto begun = with_times(whole, own), ended = with_times(whole, whole.times - before * own);
    std::vector<int> operands;
    for (const int operand : whole_.node(first).operands) operands.push_back(at(operand));
    for (std::size_t n = whole.states(); n < operands.size(); ++n) {
      if (made_.is_node(operands[n])) node_of(operands[n]).is_stored = true;
    }
    const std::vector<int> initial = operands;
    for (int n = 0; n < states; ++n) {
      Node node = whole_.node(first + n);
      operands[static_cast<std::size_t>(node.settings.state)] = made_.values();
      node.name += " so far";
      node.operands = initial;
      node.settings = graph::settings_of(begun, node.settings.state);
      node.is_stored = true;
      node.renewed = before - 1;
      made_.nodes.push_back(std::move(node));
    }
    for (int n = 0; n < states; ++n) {
      Node node = whole_.node(first + n);
      node.operands = operands;
      node.settings = graph::settings_of(ended, node.settings.state);
      values_.push_back(made_.values());
      made_.nodes.push_back(std::move(node));
    }
  }
  Node& node_of(int value) { return made_.nodes[static_cast<std::size_t>(value) - made_.inputs.size()]; }

  const Graph& whole_;
  Graph made_;
  std::vector<int> values_;  // of the whole graph, in the one that is made
};

}  // namespace

std::vector<std::int64_t> steps_of_parts(const GraphPlan& plan, const Resources& resources) {
  const Graph& whole = *plan.definition().graph;
  const std::vector<int> iterations = graph::iterations_of(whole);
  std::vector<std::int64_t> made(iterations.size());
  for (std::size_t n = 0; n < made.size(); ++n) {
    const auto found = find(plan, whole.node(iterations[n]).settings.iteration.get());
    if (found) made[n] = steps_of_part(*found, resources);
    if (made[n] > 0 && !parts_fit(with_stored_steps(whole, made))) made[n] = 0;
  }
  return made;
}

Graph with_stored_steps(const Graph& whole, const std::vector<std::int64_t>& steps) {
  return StepStorer(whole).store(steps);
}

double seconds_of(const PlannedPart& part, const device::Limits& limits) {
  const Graph& graph = *part.spec.graph;
  double seconds = cells_of(graph) * part.method->cost(part.spec, limits).seconds;
  for (const int first : part.part.times > 1 ? graph::iterations_of(graph) : std::vector<int>{}) {
    const auto steps = static_cast<double>(graph.node(first).settings.iteration->times);
    seconds += static_cast<double>(part.part.times - 1) * steps * seconds_of_step(part, first, limits);
  }
  return seconds;
}

}  // namespace terrace::stages
