#include "kernels/graph/methods.hpp"

#include <algorithm>
#include <string_view>

#include "kernels/compiled/compiler.hpp"
#include "kernels/graph/cuda/composed.hpp"
#include "kernels/graph/cuda/written/module.hpp"
#include "kernels/graph/slabs.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::graph {
namespace {

using device::Backend;
using device::Cost;
using device::Limits;

template <Schedule schedule>
Cost cost(const GraphSpec& spec, const Limits& limits) {
  const Graph& graph = *spec.graph;
  double kept = 1;
  for (std::size_t n = 0; n < graph.targets(); ++n) {
    kept = std::max(kept, bytes_of(graph.shape(graph.target(n)), ElementType::u8));
  }
  const Load load = load_of(*composition_of(spec, schedule, limits));
  return {.seconds = seconds_of(load, slabs_of(spec)) / kept, .bytes = load.bytes / kept};
}

template <Schedule schedule>
std::size_t workspace(const GraphSpec& spec, const Limits& limits) {
  return composed_cuda_bytes(spec, schedule, limits);
}

template <Schedule schedule>
std::unique_ptr<device::BlockKernel> make(const GraphSpec& spec, device::Context& context, void* workspace) {
  return make_composed_cuda(spec, schedule, context, workspace);
}

bool has(const Composition& all, StepsBy by) {
  return std::ranges::any_of(all.iterations, [&](const auto& own) { return own.second.by == by; });
}

std::string unfit(const GraphSpec& spec, const Limits&) { return why_not_written(*spec.graph); }

std::string unfit_with_compiler(const GraphSpec& spec, const Limits& limits) {
  if (std::string why = unfit(spec, limits); !why.empty()) return why;
  return compiled::Compiler::why_missing();
}

std::string unfit_to_fuse(const GraphSpec& spec, const Limits& limits) {
  if (std::string why = unfit_with_compiler(spec, limits); !why.empty()) return why;
  const auto all = composition_of(spec, Schedule::fused, limits);
  const bool fuses = !all->clusters.empty() || has(*all, StepsBy::clusters);
  return fuses ? "" : "no nodes of the graph save time as one kernel";
}

/// The reason why no iteration of a graph streams; empty: one does.
std::string unfit_to_stream(const GraphSpec& spec, const Limits& limits) {
  if (std::string why = unfit_with_compiler(spec, limits); !why.empty()) return why;
  const std::vector<int> all = iterations_of(*spec.graph);
  std::string first = all.empty() ? "the graph has no `iterate`" : "";
  for (const int value : all) {
    const std::string why = plan_stream(*spec.graph->node(value).settings.iteration, limits).unfit;
    if (why.empty()) return "";
    if (first.empty()) first = why;
  }
  return first;
}

template <Schedule schedule>
constexpr GraphMethod method(const char* name, const char* help, const char* named, bool automatic,
                             std::string (*why_unfit)(const GraphSpec&, const Limits&)) {
  return {.name = name,
          .help = help,
          .backend = Backend::cuda,
          .schedule = named,
          .automatic = automatic,
          .unfit = why_unfit,
          .cost = cost<schedule>,
          .workspace = workspace<schedule>,
          .make = make<schedule>};
}

constexpr GraphMethod cuda_methods[] = {
    method<Schedule::plain>("plain",
                            "node after node, each by a launch, over the rows that a slab of the kept nodes needs",
                            "plain", true, unfit),
    method<Schedule::streamed>(
        "streamed",
        "as fused, but iterations of one formula of radius 1 make several steps at once, their rows in registers",
        "streamed", true, unfit_to_stream),
    method<Schedule::ktiler>(
        "ktiler",
        "nodes, and steps of iterations, in turn over strips of rows that stay in the L2 cache, each by a launch",
        "ktiler", false, unfit),
    method<Schedule::fused>(
        "fused",
        "nodes of one shape, or some steps of an iteration, by one kernel, values between them in "
        "registers, compiled at run time",
        "fused", true, unfit_to_fuse),
    method<Schedule::cheapest>("mixed", "clusters as fused, and each iteration in the cheapest of all ways", "", true,
                               unfit_with_compiler)};

/// The schedules of these methods.
constexpr Schedule schedules[] = {Schedule::plain, Schedule::streamed, Schedule::ktiler, Schedule::fused,
                                  Schedule::cheapest};

/// @param method one of these, or a copy
Schedule schedule_of(const GraphMethod& method) {
  const auto* own = std::ranges::find(cuda_methods, std::string_view(method.name), &GraphMethod::name);
  return schedules[own - cuda_methods];
}

/// The way in which an iteration makes its steps, in words.
std::string in_words(const IterationChoice& choice) {
  const std::string steps = std::to_string(choice.steps_at_once()) + " steps a launch, ";
  if (choice.by == StepsBy::streaming) return steps + "rows streaming through warps";
  if (choice.by == StepsBy::clusters) return steps + "as a cluster";
  return choice.by == StepsBy::strips ? "steps in turn over strips" : "step after step";
}

}  // namespace

i64 cuda_pass_steps_of(const GraphMethod& method, const GraphSpec& spec, const Limits& limits) {
  i64 steps = 0;
  for (const auto& [value, choice] : composition_of(spec, schedule_of(method), limits)->iterations) {
    if (steps != 0 && steps != choice.steps_at_once()) return 0;
    steps = choice.steps_at_once();
  }
  return steps;
}

std::vector<std::string> cuda_composition_in_words(const GraphMethod& method, const GraphSpec& spec,
                                                   const Limits& limits) {
  const auto all = composition_of(spec, schedule_of(method), limits);
  std::vector<std::string> lines;
  for (const Cluster& cluster : all->clusters) {
    std::string names;
    for (const StreamedValue& member : cluster.members) {
      names += (names.empty() ? "" : ", ") + all->graph->node(member.value).name;
    }
    lines.push_back("cluster of " + names + ": " + std::to_string(cluster.reads.size()) + " read, " +
                    std::to_string(cluster.made.size()) + " written, " + format_size(bytes_of(*all->graph, cluster)));
  }
  for (const auto& [value, choice] : all->iterations) {
    if (choice.by == StepsBy::launches) continue;
    lines.push_back("iteration of " + all->graph->node(value).name + ": " + in_words(choice));
  }
  return lines;
}

std::span<const GraphMethod> graph_cuda_methods() { return cuda_methods; }

}  // namespace terrace::graph
