#include "kernels/graph/tiling/clusters.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace terrace::graph {
namespace {

/// A launch that reads what another one writes.
struct Edge {
  int from, to;
  double weight;  // seconds that are saved if it is read from the cache
};

/// A partition of the launches into clusters.
class Partition {
 public:
  Partition(const TileGraph& graph, const TimeTable& times, i64 grain)
      : graph_(graph), times_(times), cutter_(graph, times, grain), clusters_(as_index(graph.size())) {
    for (int step = 0; step < graph.size(); ++step) {
      of_.push_back(step);
      clusters_[as_index(step)] = {{step}, cutter_.whole(step)};
      seconds_ += clusters_[as_index(step)].tiling.seconds;
    }
  }

  /// Clusters of launches that are none yet. Two launches may take longer as a cluster, and many less: where a strip
  /// takes little longer than its launch, only what all of them save pays for it.
  void grow_by_weight() {
    edges_ = edges_by_weight();
    for (const Edge& edge : edges_) {
      if (is_single(of_[as_index(edge.from)]) && is_single(of_[as_index(edge.to)])) grow(edge);
    }
  }

  /// The paper's loop.
  void merge_by_weight() {
    std::vector<Edge> edges = edges_;
    for (std::size_t at = 0; at < edges.size();) {
      const int a = of_[as_index(edges[at].from)], b = of_[as_index(edges[at].to)];
      if (a != b && is_between({a, b})) {
        ++at;
        continue;
      }
      const bool is_merged = a != b && merge(a, b);
      edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(at));
      // A pair that had clusters between them may have none now.
      if (is_merged) at = 0;
    }
  }

  TileSchedule take() {
    TileSchedule made;
    made.untiled_seconds = seconds_;
    for (const int cluster : ordered()) {
      const Cluster& own = clusters_[as_index(cluster)];
      made.clusters.push_back(own.steps);
      made.tiling.seconds += own.tiling.seconds;
      made.tiling.sequence.insert(made.tiling.sequence.end(), own.tiling.sequence.begin(), own.tiling.sequence.end());
    }
    return made;
  }

 private:
  struct Cluster {
    std::vector<int> steps;  // ascending; empty: merged into another one
    Tiling tiling;
  };

  std::vector<Edge> edges_by_weight() const {
    std::vector<Edge> edges;
    for (int step = 0; step < graph_.size(); ++step) {
      for (const Dependence& own : graph_.dependences(step)) {
        if (!own.is_flow) continue;
        const auto bytes = static_cast<double>(own.later->all().size());
        const double saved = times_.seconds(bytes, 0) - times_.seconds(bytes, bytes);
        if (saved > 0) edges.push_back({own.on, step, saved});
      }
    }
    std::ranges::stable_sort(edges, std::greater{}, &Edge::weight);
    return edges;
  }

  /// True if another cluster depends on one of these, and one of these on it.
  bool is_between(const std::vector<int>& these) const {
    std::vector<bool> seen(clusters_.size());
    std::vector<int> waiting;
    const auto look_at = [&](int cluster) {
      if (seen[as_index(cluster)]) return;
      seen[as_index(cluster)] = true;
      waiting.push_back(cluster);
    };
    const auto is_one = [&](int cluster) { return std::ranges::find(these, cluster) != these.end(); };
    for (const int cluster : these) {
      for (const int other : before(cluster)) {
        if (!is_one(other)) look_at(other);
      }
    }
    while (!waiting.empty()) {
      const int cluster = waiting.back();
      waiting.pop_back();
      for (const int other : before(cluster)) {
        if (is_one(other)) return true;
        look_at(other);
      }
    }
    return false;
  }

  /// The clusters that a cluster depends on; one may be there several times.
  std::vector<int> before(int cluster) const {
    std::vector<int> found;
    for (const int step : clusters_[as_index(cluster)].steps) {
      for (const Dependence& own : graph_.dependences(step)) {
        if (of_[as_index(own.on)] != cluster) found.push_back(of_[as_index(own.on)]);
      }
    }
    return found;
  }

  bool is_single(int cluster) const { return clusters_[as_index(cluster)].steps.size() == 1; }
  double seconds_of(const std::vector<int>& singles) const {
    double seconds = 0;
    for (const int step : singles) seconds += clusters_[as_index(step)].tiling.seconds;
    return seconds;
  }

  /// Grows a cluster of single launches from an edge on, by the heaviest edge that leaves it, and keeps the launches
  /// of which each saves the most.
  void grow(const Edge& first) {
    constexpr int patience = 4;
    std::vector<int> steps = {first.from}, best;
    double most = 0, last = -1;
    int worse = 0;
    for (std::optional<int> next = first.to; next && worse < patience; next = next_single(steps)) {
      if (!is_joinable(steps, *next)) break;
      steps.insert(std::ranges::upper_bound(steps, *next), *next);
      const std::optional<double> seconds = cutter_.estimate(steps);
      if (!seconds) break;
      const double saved = (seconds_of(steps) - *seconds) / static_cast<double>(steps.size());
      worse = saved > last ? 0 : worse + 1;
      last = std::max(last, saved);
      if (saved > most) most = saved, best = steps;
    }
    if (!best.empty()) merge(std::move(best));
  }

  /// The single launch at the heaviest edge between it and launches of a cluster in the making.
  std::optional<int> next_single(const std::vector<int>& steps) const {
    const auto is_in = [&](int step) { return std::ranges::binary_search(steps, step); };
    for (const Edge& edge : edges_) {
      if (is_in(edge.from) == is_in(edge.to)) continue;
      const int other = is_in(edge.from) ? edge.to : edge.from;
      if (is_single(of_[as_index(other)]) && is_joinable(steps, other)) return other;
    }
    return std::nullopt;
  }

  /// True if no launch outside waits for one of the cluster in the making, and another one of it, or `next`, for
  /// that.
  bool is_joinable(const std::vector<int>& steps, int next) const {
    std::vector<int> all = steps;
    all.push_back(next);
    return !is_between(all);
  }

  /// Merges two clusters if it lowers the time. @return true if it did
  bool merge(int a, int b) {
    const Cluster &first = clusters_[as_index(a)], &second = clusters_[as_index(b)];
    const double apart = first.tiling.seconds + second.tiling.seconds;
    std::vector<int> steps;
    std::ranges::merge(first.steps, second.steps, std::back_inserter(steps));
    const std::optional<double> seconds = cutter_.estimate(steps);
    return seconds && *seconds < apart && merge(std::move(steps));
  }

  /// Makes one cluster of all those that have these launches if it lowers the time. @return true if it did
  bool merge(std::vector<int> steps) {
    std::optional<Tiling> tiling = cutter_.cut(steps);
    std::vector<int> merged;
    merged.reserve(steps.size());
    for (const int step : steps) merged.push_back(of_[as_index(step)]);
    std::ranges::sort(merged);
    merged.erase(std::unique(merged.begin(), merged.end()), merged.end());
    double apart = 0;
    for (const int cluster : merged) apart += clusters_[as_index(cluster)].tiling.seconds;
    if (!tiling || tiling->seconds >= apart) return false;
    for (const int cluster : merged) clusters_[as_index(cluster)] = {};
    for (const int step : steps) of_[as_index(step)] = merged.front();
    clusters_[as_index(merged.front())] = {std::move(steps), std::move(*tiling)};
    return true;
  }

  /// The clusters, each after those that it depends on, else by their first launch.
  std::vector<int> ordered() const {
    std::vector<std::vector<int>> after(clusters_.size());
    std::vector<int> missing(clusters_.size());
    using First = std::pair<int, int>;  // the first launch of a cluster, and the cluster
    std::priority_queue<First, std::vector<First>, std::greater<>> ready;
    for (int cluster = 0; cluster < graph_.size(); ++cluster) {
      const std::vector<int>& steps = clusters_[as_index(cluster)].steps;
      if (steps.empty()) continue;
      for (const int other : before(cluster)) {
        after[as_index(other)].push_back(cluster);
        ++missing[as_index(cluster)];
      }
      if (missing[as_index(cluster)] == 0) ready.emplace(steps.front(), cluster);
    }
    std::vector<int> order;
    while (!ready.empty()) {
      order.push_back(ready.top().second);
      ready.pop();
      for (const int next : after[as_index(order.back())]) {
        if (--missing[as_index(next)] == 0) ready.emplace(clusters_[as_index(next)].steps.front(), next);
      }
    }
    return order;
  }

  const TileGraph& graph_;
  const TimeTable& times_;
  StripCutter cutter_;
  std::vector<int> of_;      // the cluster of each launch
  std::vector<Edge> edges_;  // the heaviest first
  std::vector<Cluster> clusters_;
  double seconds_ = 0;
};

}  // namespace

TileSchedule tile_schedule(const TileGraph& graph, const TimeTable& times, i64 grain) {
  if (std::optional<Tiling> all = StripCutter(graph, times, grain).all_in_cache()) {
    TileSchedule made{std::move(*all), {}, 0};
    made.untiled_seconds = made.tiling.seconds;
    for (int step = 0; step < graph.size(); ++step) made.clusters.push_back({step});
    return made;
  }
  Partition partition(graph, times, grain);
  partition.grow_by_weight();
  partition.merge_by_weight();
  return partition.take();
}

}  // namespace terrace::graph
