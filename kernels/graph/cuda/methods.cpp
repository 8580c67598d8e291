#include "kernels/graph/methods.hpp"

#include <algorithm>

#include "kernels/compiled/compiler.hpp"
#include "kernels/graph/clusters/cluster.hpp"
#include "kernels/graph/cuda/fused/fused.hpp"
#include "kernels/graph/cuda/plain.hpp"
#include "kernels/graph/cuda/steps.hpp"
#include "kernels/graph/cuda/streamed/plan.hpp"
#include "kernels/graph/cuda/written/module.hpp"
#include "kernels/graph/iteration.hpp"
#include "kernels/graph/iteration_strips.hpp"
#include "kernels/graph/measured.hpp"
#include "kernels/graph/slabs.hpp"

namespace terrace::graph {
namespace {

using device::Backend;
using device::Cost;
using device::Limits;

double bytes_of(Shape shape, ElementType type) {
  return static_cast<double>(shape.rows) * static_cast<double>(shape.columns) * static_cast<double>(size_of(type));
}

/// Bytes of the operands and of the values of a node.
double bytes_moved(const Graph& graph, const Node& node) {
  double moved = bytes_of(node.shape, graph.type);
  for (const int operand : node.operands) moved += bytes_of(graph.shape(operand), graph.type);
  return moved;
}

/// The bytes that launches read and write in all, and their number in a slab.
struct Traffic {
  double bytes = 0, launches = 2;  // the slab is begun and reported

  void add(double moved, double times = 1) { bytes += times * moved, launches += times; }
  /// @param steps of a launch
  void add(const Iteration& iteration, i64 steps = 1) {
    const auto times = static_cast<double>((iteration.times + steps - 1) / steps);
    if (iteration.joined) {
      const auto arrays = static_cast<double>(iteration.joined->sources.size() + iteration.states());
      return add(arrays * bytes_of(iteration.shape(), iteration.body.type), times);
    }
    for (const Node& node : iteration.body.nodes) add(bytes_moved(iteration.body, node), times);
  }
};

/// Steps of an iteration in a launch, where rows stream.
i64 steps_at_once(const Iteration& iteration, const Limits& limits) {
  const StreamedPlan plan = plan_stream(iteration, limits);
  return plan.unfit.empty() ? i64{plan.sizes.levels} * plan.sizes.warps : 1;
}

/// @param steps of an iteration in a launch @param clusters of the graph; nodes in none of them are made alone
template <class Steps>
Traffic traffic_of(const Graph& graph, const Steps& steps, const std::vector<Cluster>& clusters = {}) {
  Traffic all;
  std::vector<bool> is_member(static_cast<std::size_t>(graph.values())), is_checked(graph.inputs.size());
  for (const Cluster& cluster : clusters) {
    all.add(bytes_of(graph, cluster));
    all.add(0);
    for (const StreamedValue& member : cluster.members) is_member[static_cast<std::size_t>(member.value)] = true;
    for (const StreamedValue& read : cluster.reads) {
      if (!graph.is_node(read.value)) is_checked[static_cast<std::size_t>(read.value)] = true;
    }
  }
  for (std::size_t n = 0; n < graph.inputs.size(); ++n) {
    const Input& input = graph.inputs[n];
    const bool is_stored = is_read_as_stored(graph, static_cast<int>(n));
    if (input.type == graph.type ? input.may_be_nan || is_checked[n] : is_stored && is_checked[n]) continue;
    const double own = input.type == graph.type ? 0 : bytes_of(input.shape, graph.type);
    all.add(bytes_of(input.shape, input.type) + own);
  }
  for (int value = 0; value < graph.values(); ++value) {
    if (!graph.is_node(value) || is_member[static_cast<std::size_t>(value)]) continue;
    if (!graph.node(value).settings.iteration) all.add(bytes_moved(graph, graph.node(value)));
  }
  for (const int value : iterations_of(graph)) {
    const Iteration& iteration = *graph.node(value).settings.iteration;
    all.add(iteration, steps(iteration));
  }
  for (const Kept& kept : graph.kept) {
    if (kept.type == graph.type) continue;  // made where it is kept
    const Shape shape = graph.shape(kept.value);
    all.add(bytes_of(shape, graph.type) + bytes_of(shape, kept.type));
  }
  for (const Reduction& own : graph.reductions) {
    all.add(bytes_of(graph.shape(own.value), graph.type));
    all.add(0);
  }
  return all;
}

std::string unfit(const GraphSpec& spec, const Limits&) { return why_not_written(*spec.graph); }

/// Seconds of launches. @param slabs by which they are made
double seconds_of(const Traffic& traffic, i64 slabs = 1) {
  return traffic.bytes / (measured::cuda_bytes_per_second * measured::cuda_efficiency) +
         traffic.launches * static_cast<double>(slabs) * measured::cuda_launch_seconds;
}

/// @param seconds that launches take in addition to what they move
Cost cost_of(const GraphSpec& spec, const Traffic& traffic, double seconds) {
  const Graph& graph = *spec.graph;
  double kept = 1;
  for (std::size_t n = 0; n < graph.targets(); ++n) {
    kept = std::max(kept, bytes_of(graph.shape(graph.target(n)), ElementType::u8));
  }
  return {.seconds = (seconds_of(traffic, slabs_of(spec)) + seconds) / kept, .bytes = traffic.bytes / kept};
}

Cost plain_cost(const GraphSpec& spec, const Limits&) {
  return cost_of(spec, traffic_of(*spec.graph, [](const Iteration&) { return 1; }), 0);
}

/// Steps that are made at once take the time of their operations.
Cost streamed_cost(const GraphSpec& spec, const Limits& limits) {
  const Graph& graph = *spec.graph;
  double operations = 0;
  for (const int value : iterations_of(graph)) {
    const Iteration& iteration = *graph.node(value).settings.iteration;
    if (steps_at_once(iteration, limits) == 1) continue;
    operations += bytes_of(iteration.shape(), graph.type) / sizeof(float) * static_cast<double>(iteration.times) *
                  iteration.joined->cells.operations();
  }
  const Traffic traffic = traffic_of(graph, [&](const Iteration& one) { return steps_at_once(one, limits); });
  return cost_of(spec, traffic, operations / measured::cuda_streamed_operations);
}

/// A cluster takes the time of its instructions if that is more.
Cost fused_cost(const GraphSpec& spec, const Limits&) {
  const ClusteredGraph all = clustered(*spec.graph, groups_of(spec));
  double computing = 0;
  for (const Cluster& cluster : all.clusters) {
    const double moving =
        bytes_of(all.graph, cluster) / (measured::cuda_bytes_per_second * measured::cuda_efficiency);
    computing += std::max(0.0, computing_seconds_of(all.graph, cluster) - moving);
  }
  return cost_of(spec,
                 traffic_of(
                     all.graph, [](const Iteration&) { return 1; }, all.clusters),
                 computing);
}

std::string unfit_to_fuse(const GraphSpec& spec, const Limits& limits) {
  if (std::string why = unfit(spec, limits); !why.empty()) return why;
  if (!spec.groups && groups_of(spec).empty()) return "no nodes of the graph save time as one kernel";
  return compiled::Compiler::why_missing();
}

/// Strips save a share of the time of iterations.
Cost ktiler_cost(const GraphSpec& spec, const Limits&) {
  const Graph& graph = *spec.graph;
  const TimeTable times = times_of(spec);
  double saved = 0;
  for (const int value : iterations_of(graph)) {
    const Iteration& iteration = *graph.node(value).settings.iteration;
    Traffic own;
    own.add(iteration);
    saved += (1 - strips_of(iteration, times).share) * seconds_of(own);
  }
  return cost_of(spec, traffic_of(graph, [](const Iteration&) { return 1; }), -saved);
}

/// The reason why no iteration of a graph streams; empty: one does.
std::string unfit_to_stream(const GraphSpec& spec, const Limits& limits) {
  const Graph& graph = *spec.graph;
  std::string why;
  for (const int value : iterations_of(graph)) {
    const std::string own = plan_stream(*graph.node(value).settings.iteration, limits).unfit;
    if (own.empty()) return why_not_written(graph);
    if (why.empty()) why = own;
  }
  return why.empty() ? "the graph has no `iterate`" : why;
}

constexpr GraphMethod cuda_methods[] = {
    {.name = "plain",
     .help = "node after node, each by a launch, over the rows that a slab of the kept nodes needs",
     .backend = Backend::cuda,
     .schedule = "plain",
     .automatic = true,
     .unfit = unfit,
     .cost = plain_cost,
     .workspace = [](const GraphSpec& spec, const Limits&) { return plain_cuda_bytes(spec); },
     .make = make_plain_cuda},
    {.name = "streamed",
     .help =
         "as plain, but iterations of one formula of radius 1 make several steps at once, their rows in registers",
     .backend = Backend::cuda,
     .schedule = "streamed",
     .automatic = true,
     .unfit = unfit_to_stream,
     .cost = streamed_cost,
     .workspace = [](const GraphSpec& spec, const Limits&) { return plain_cuda_bytes(spec); },
     .make = make_streamed_cuda},
    {.name = "ktiler",
     .help =
         "nodes, and steps of iterations, in turn over strips of rows that stay in the L2 cache, each by a launch",
     .backend = Backend::cuda,
     .schedule = "ktiler",
     .automatic = false,
     .unfit = unfit,
     .cost = ktiler_cost,
     .workspace = [](const GraphSpec& spec, const Limits&) { return plain_cuda_bytes(spec); },
     .make = make_ktiler_cuda},
    {.name = "fused",
     .help = "nodes of one shape by one kernel, values between them in registers, compiled at run time",
     .backend = Backend::cuda,
     .schedule = "fused",
     .automatic = true,
     .unfit = unfit_to_fuse,
     .cost = fused_cost,
     .workspace = [](const GraphSpec& spec, const Limits&) { return fused_cuda_bytes(spec); },
     .make = make_fused_cuda}};

}  // namespace

i64 cuda_pass_steps_of(const GraphMethod& method, const GraphSpec& spec, const Limits& limits) {
  const std::string_view schedule = method.schedule;
  if (schedule == "plain") return 1;
  if (schedule != "streamed") return 0;
  i64 steps = 0;
  for (const int value : iterations_of(*spec.graph)) {
    const i64 own = steps_at_once(*spec.graph->node(value).settings.iteration, limits);
    if (steps != 0 && steps != own) return 0;
    steps = own;
  }
  return steps;
}

std::span<const GraphMethod> graph_cuda_methods() { return cuda_methods; }

}  // namespace terrace::graph
