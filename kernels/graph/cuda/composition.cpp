#include "kernels/graph/cuda/composition.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "kernels/graph/iteration_strips.hpp"
#include "kernels/graph/measured.hpp"

namespace terrace::graph {
namespace {

using device::Limits;

i64 times_in(const Iteration& iteration, i64 steps) { return (iteration.times + steps - 1) / steps; }

IterationChoice by_launches(const Iteration& iteration) {
  return {.load = static_cast<double>(iteration.times) * load_of_step(iteration)};
}

/// Steps that are made at once take the time of their operations, too.
IterationChoice by_streaming(const Iteration& iteration, const Limits& limits) {
  IterationChoice made{.by = StepsBy::streaming, .streamed = plan_stream(iteration, limits)};
  if (!made.streamed.unfit.empty()) return made;
  made.load = static_cast<double>(times_in(iteration, made.steps_at_once())) * load_of_step(iteration);
  const double values = bytes_of(iteration.shape(), iteration.body.type) / sizeof(float);
  made.load.computing = values * static_cast<double>(iteration.times) * iteration.joined->cells.operations() /
                        measured::cuda_streamed_operations;
  return made;
}

IterationChoice by_clusters(const Iteration& iteration) {
  IterationChoice made{.by = StepsBy::clusters, .unrolled = unrolled_in_least_time(iteration)};
  for (const UnrolledSteps& own : made.unrolled) {
    const bool is_first = &own == made.unrolled.data();
    const double times = is_first ? static_cast<double>(iteration.times / own.steps) : 1;
    made.load += measured::cuda_unrolled_factor * times * load_of(own.graph, own.cluster);
  }
  return made;
}

IterationChoice by_strips(const Iteration& iteration, const TimeTable& times) {
  IterationChoice made = by_launches(iteration);
  made.by = StepsBy::strips;
  made.load = strips_of(iteration, times).share * made.load;
  return made;
}

IterationChoice cheapest(std::vector<IterationChoice> all) {
  return *std::ranges::min_element(all, {}, [](const IterationChoice& one) { return seconds_of(one.load); });
}

IterationChoice choice_of(const Iteration& iteration, const GraphSpec& spec, Schedule schedule,
                          const Limits& limits) {
  std::vector<IterationChoice> found = {by_launches(iteration)};
  if (schedule == Schedule::streamed || schedule == Schedule::cheapest) {
    IterationChoice own = by_streaming(iteration, limits);
    if (own.streamed.unfit.empty()) found.push_back(std::move(own));
  }
  if (schedule == Schedule::fused || schedule == Schedule::cheapest) {
    IterationChoice own = by_clusters(iteration);
    if (!own.unrolled.empty()) found.push_back(std::move(own));
  }
  // By rates that were not measured on the device strips may seem to save what they do not.
  if (schedule == Schedule::ktiler || (schedule == Schedule::cheapest && spec.times)) {
    found.push_back(by_strips(iteration, times_of(spec)));
  }
  return schedule == Schedule::cheapest ? cheapest(std::move(found)) : std::move(found.back());
}

Composition compose(const GraphSpec& spec, Schedule schedule, const Limits& limits) {
  Composition made;
  if (schedule == Schedule::plain || schedule == Schedule::ktiler) {
    made.graph = spec.graph;
  } else {
    ClusteredGraph own = clustered(*spec.graph, spec.groups ? *spec.groups : choose_groups(*spec.graph));
    made.graph = std::make_shared<Graph>(std::move(own.graph));
    made.clusters = std::move(own.clusters);
  }
  for (const int value : iterations_of(*made.graph)) {
    made.iterations[value] = choice_of(*made.graph->node(value).settings.iteration, spec, schedule, limits);
  }
  return made;
}

/// The last compositions: a plan tries many heights of slabs of one graph.
class Remembered {
 public:
  std::shared_ptr<const Composition> of(const GraphSpec& spec, Schedule schedule, const Limits& limits) {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_) {
      if (entry.graph.lock() == spec.graph && entry.groups == spec.groups && entry.times == spec.times &&
          entry.schedule == schedule && entry.block_shared_bytes == limits.block_shared_bytes)
        return entry.made;
    }
    if (entries_.size() == most) entries_.pop_front();
    entries_.push_back({spec.graph, spec.groups, spec.times, schedule, limits.block_shared_bytes,
                        std::make_shared<Composition>(compose(spec, schedule, limits))});
    return entries_.back().made;
  }

 private:
  /// A composition, and the arguments by which it was made.
  struct Entry {
    std::weak_ptr<const Graph> graph;
    std::shared_ptr<const Groups> groups;
    std::shared_ptr<const TimeTable> times;
    Schedule schedule;
    std::size_t block_shared_bytes;
    std::shared_ptr<const Composition> made;
  };
  static constexpr std::size_t most = 256;

  std::mutex mutex_;
  std::deque<Entry> entries_;
};

/// The bytes that inputs, kept nodes and reductions move.
Load load_around(const Composition& all) {
  const Graph& graph = *all.graph;
  std::vector<bool> is_read(graph.inputs.size());  // by a cluster, which looks through it
  for (const Cluster& cluster : all.clusters) {
    for (const StreamedValue& read : cluster.reads) {
      if (!graph.is_node(read.value)) is_read[at_value(read.value)] = true;
    }
  }
  Load load{0, 0, 2};  // the slab is begun and reported
  for (std::size_t n = 0; n < graph.inputs.size(); ++n) {
    const Input& input = graph.inputs[n];
    const bool is_stored = is_read_as_stored(graph, static_cast<int>(n));
    if (input.type == graph.type ? input.may_be_nan || is_read[n] : is_stored && is_read[n]) continue;
    const double own = input.type == graph.type ? 0 : bytes_of(input.shape, graph.type);
    load += {bytes_of(input.shape, input.type) + own, 0, 1};
  }
  for (const Kept& kept : graph.kept) {
    if (kept.type == graph.type) continue;  // made where it is kept
    const Shape shape = graph.shape(kept.value);
    load += {bytes_of(shape, graph.type) + bytes_of(shape, kept.type), 0, 1};
  }
  for (const Reduction& own : graph.reductions) load += {bytes_of(graph.shape(own.value), graph.type), 0, 2};
  return load;
}

}  // namespace

i64 IterationChoice::steps_at_once() const {
  if (by == StepsBy::streaming) return i64{streamed.sizes.levels} * streamed.sizes.warps;
  return by == StepsBy::clusters ? unrolled.front().steps : 1;
}

std::shared_ptr<const Composition> composition_of(const GraphSpec& spec, Schedule schedule, const Limits& limits) {
  static Remembered remembered;
  return remembered.of(spec, schedule, limits);
}

Load load_of(const Composition& all) {
  const Graph& graph = *all.graph;
  Load load = load_around(all);
  const std::vector<int> cluster = cluster_of_values(all);
  for (const Cluster& own : all.clusters) load += load_of(graph, own);
  for (const auto& [value, choice] : all.iterations) load += choice.load;
  for (int value = 0; value < graph.values(); ++value) {
    const bool is_alone = graph.is_node(value) && cluster[at_value(value)] < 0;
    if (is_alone && !graph.node(value).settings.iteration) load += load_alone(graph, value);
  }
  return load;
}

std::vector<int> cluster_of_values(const Composition& all) {
  std::vector<int> found(at_value(all.graph->values()), -1);
  for (std::size_t n = 0; n < all.clusters.size(); ++n) {
    for (const StreamedValue& member : all.clusters[n].members) found[at_value(member.value)] = static_cast<int>(n);
  }
  return found;
}

std::vector<bool> read_by_clusters(const Composition& all) {
  const Graph& graph = *all.graph;
  const Readers readers(graph);
  const std::vector<int> cluster = cluster_of_values(all);
  std::vector<bool> found(graph.inputs.size());
  for (int input = 0; at_value(input) < graph.inputs.size(); ++input) {
    found[at_value(input)] =
        is_read_as_stored(graph, input) && !readers.is_target[at_value(input)] &&
        std::ranges::all_of(readers.nodes[at_value(input)], [&](int node) { return cluster[at_value(node)] >= 0; });
  }
  return found;
}

Lifetimes lifetimes_of(const Composition& all) {
  const Graph& graph = *all.graph;
  Lifetimes made = lifetimes_of(graph);
  std::vector<int> end(at_value(graph.values()));
  for (int value = 0; value < graph.values(); ++value) end[at_value(value)] = value;
  for (const Cluster& cluster : all.clusters) {
    for (const StreamedValue& member : cluster.members) {
      end[at_value(member.value)] = cluster.members.back().value;
      made.has_memory[at_value(member.value)] = std::ranges::find(cluster.made, member.value) != cluster.made.end();
    }
  }
  for (int& last : made.last) last = end[at_value(last)];
  const std::vector<bool> by_clusters = read_by_clusters(all);
  for (std::size_t input = 0; input < by_clusters.size(); ++input) {
    if (by_clusters[input]) made.has_memory[input] = false;
  }
  for (const auto& [value, choice] : all.iterations) {
    made.has_body[at_value(value)] = choice.by == StepsBy::launches || choice.by == StepsBy::strips;
  }
  return made;
}

}  // namespace terrace::graph
