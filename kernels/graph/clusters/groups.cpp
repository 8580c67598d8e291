#include <algorithm>
#include <map>
#include <queue>
#include <utility>

#include "kernels/graph/clusters/cluster.hpp"
#include "kernels/graph/costs.hpp"
#include "kernels/graph/iteration.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::graph {
namespace {

/// An order of groups in which each comes after those that it reads, and iterations come as they are, as tasks have
/// their carries in this order. Of groups that may come next, it has the one with the first node. Empty if there is
/// none. @param group of each node by value; -1: an input
std::vector<int> order_of(const Graph& graph, const std::vector<int>& group, int groups) {
  std::vector<std::vector<int>> after(static_cast<std::size_t>(groups));
  std::vector<int> before(static_cast<std::size_t>(groups)), first(static_cast<std::size_t>(groups), -1);
  int last_iteration = -1;
  const auto come_after = [&](int own, int other) {
    if (other < 0 || other == own) return;
    after[at_value(other)].push_back(own);
    ++before[at_value(own)];
  };
  for (int value = 0; value < graph.values(); ++value) {
    const int own = group[at_value(value)];
    if (own < 0) continue;
    if (first[at_value(own)] < 0) first[at_value(own)] = value;
    for (const int operand : graph.node(value).operands) come_after(own, group[at_value(operand)]);
    if (!graph.node(value).settings.iteration) continue;
    come_after(own, last_iteration);
    last_iteration = own;
  }
  using Next = std::pair<int, int>;  // the first node, and the group
  std::priority_queue<Next, std::vector<Next>, std::greater<>> ready;
  std::size_t wanted = 0;
  for (int own = 0; own < groups; ++own) {
    if (first[at_value(own)] < 0) continue;
    ++wanted;
    if (before[at_value(own)] == 0) ready.emplace(first[at_value(own)], own);
  }
  std::vector<int> order;
  while (!ready.empty()) {
    const int own = ready.top().second;
    ready.pop();
    order.push_back(own);
    for (const int next : after[at_value(own)]) {
      if (--before[at_value(next)] == 0) ready.emplace(first[at_value(next)], next);
    }
  }
  if (order.size() < wanted) order.clear();
  return order;
}

/// The nodes that are made alone, but for those of an iteration, which stay together.
Groups alone(const Graph& graph) {
  Groups made;
  for (int value = 0; value < graph.values(); ++value) {
    if (!graph.is_node(value)) continue;
    std::vector<int>& own = made.emplace_back(1, value);
    for (const int end = value + nodes_of_iteration(graph, value); value + 1 < end;) own.push_back(++value);
  }
  return made;
}

/// Groups that become larger as long as that saves time.
class Merger {
 public:
  explicit Merger(const Graph& graph)
      : graph_(graph), readers_(graph), group_(at_value(graph.values()), -1), members_(alone(graph)) {
    for (const std::vector<int>& own : members_) {
      const int first = own.front();
      for (const int value : own) group_[at_value(value)] = static_cast<int>(joins_.size());
      joins_.push_back(readers_.is_wanted[at_value(first)] && may_join(graph, first));
      seconds_.push_back(seconds_of(load_alone(graph, first)));
    }
    for (int value = 0; value < graph.values(); ++value) add_pairs_at(value);
  }

  Groups merge() {
    while (merge_best()) {
    }
    Groups found;
    for (const std::vector<int>& members : members_) {
      if (members.size() > 1 && may_join(graph_, members.front())) found.push_back(members);
    }
    return found;
  }

 private:
  using Pair = std::pair<int, int>;

  /// The time that a pair saves, and that it takes.
  struct Gain {
    double saved, seconds;
  };

  /// Groups that make or read a value may become one.
  void add_pairs_at(int value) {
    std::vector<int> near;
    if (group_[at_value(value)] >= 0) near.push_back(group_[at_value(value)]);
    for (const int reader : readers_.nodes[at_value(value)]) near.push_back(group_[at_value(reader)]);
    if (near.size() > most_near) near.resize(most_near);
    for (std::size_t a = 0; a < near.size(); ++a) {
      for (std::size_t b = a + 1; b < near.size(); ++b) add_pair(near[a], near[b]);
    }
  }
  void add_pair(int a, int b) {
    const Pair pair = std::minmax(a, b);
    if (a == b || !joins_[at_value(a)] || !joins_[at_value(b)] || gains_.contains(pair)) return;
    std::vector<int> both = members_[at_value(a)];
    both.insert(both.end(), members_[at_value(b)].begin(), members_[at_value(b)].end());
    if (both.size() > most_members ||
        graph_.shape(members_[at_value(a)].front()) != graph_.shape(members_[at_value(b)].front()))
      return;
    std::ranges::sort(both);
    const std::optional<Cluster> cluster = cluster_of(graph_, readers_, both);
    if (!cluster) return;
    const double seconds = seconds_of(load_of(graph_, *cluster));
    const double saved = seconds_[at_value(a)] + seconds_[at_value(b)] - seconds;
    if (saved > 0) gains_[pair] = {saved, seconds};
  }

  /// @return false if nothing is to be saved
  bool merge_best() {
    std::vector<std::pair<double, Pair>> sorted;
    for (const auto& [pair, gain] : gains_) sorted.emplace_back(-gain.saved, pair);
    std::ranges::sort(sorted);
    for (const auto& [saved, pair] : sorted) {
      std::vector<int> merged = group_;
      std::ranges::replace(merged, pair.second, pair.first);
      if (order_of(graph_, merged, static_cast<int>(members_.size())).empty()) continue;
      take(pair, std::move(merged));
      return true;
    }
    return false;
  }
  void take(Pair pair, std::vector<int> merged) {
    const int a = pair.first, b = pair.second;
    seconds_[at_value(a)] = gains_.at(pair).seconds;
    group_ = std::move(merged);
    std::vector<int>& own = members_[at_value(a)];
    own.insert(own.end(), members_[at_value(b)].begin(), members_[at_value(b)].end());
    std::ranges::sort(own);
    members_[at_value(b)].clear();
    joins_[at_value(b)] = false;
    std::erase_if(gains_, [&](const auto& gain) {
      const Pair& other = gain.first;
      return other.first == a || other.first == b || other.second == a || other.second == b;
    });
    for (const int member : std::vector<int>(own)) {
      add_pairs_at(member);
      for (const int operand : graph_.node(member).operands) add_pairs_at(operand);
    }
  }

  static constexpr std::size_t most_near = 16, most_members = 24;
  const Graph& graph_;
  Readers readers_;
  std::vector<int> group_;  // of each value
  std::vector<std::vector<int>> members_;
  std::vector<bool> joins_;
  std::vector<double> seconds_;
  std::map<Pair, Gain> gains_;
};

/// The graph with its nodes in another order. @param order the values of its nodes
Graph reordered(const Graph& graph, const std::vector<int>& order, std::vector<int>& new_value) {
  Graph made = graph;
  made.nodes.clear();
  new_value.resize(at_value(graph.values()));
  for (std::size_t n = 0; n < graph.inputs.size(); ++n) new_value[n] = static_cast<int>(n);
  for (const int value : order) {
    new_value[at_value(value)] = made.values();
    made.nodes.push_back(graph.node(value));
    for (int& operand : made.nodes.back().operands) operand = new_value[at_value(operand)];
  }
  for (Kept& kept : made.kept) kept.value = new_value[at_value(kept.value)];
  for (Reduction& reduction : made.reductions) reduction.value = new_value[at_value(reduction.value)];
  return made;
}

}  // namespace

Groups choose_groups(const Graph& graph) { return Merger(graph).merge(); }

ClusteredGraph clustered(const Graph& graph, const Groups& groups) {
  std::vector<int> group(at_value(graph.values()), -1);
  std::vector<std::vector<int>> members = groups;
  for (std::size_t n = 0; n < groups.size(); ++n) {
    for (const int value : groups[n]) group[at_value(value)] = static_cast<int>(n);
  }
  for (const std::vector<int>& own : alone(graph)) {
    if (group[at_value(own.front())] >= 0) continue;
    for (const int value : own) group[at_value(value)] = static_cast<int>(members.size());
    members.push_back(own);
  }
  std::vector<int> order, new_value;
  for (const int own : order_of(graph, group, static_cast<int>(members.size()))) {
    order.insert(order.end(), members[at_value(own)].begin(), members[at_value(own)].end());
  }
  if (order.size() != graph.nodes.size()) throw DeviceError("graph", "clusters depend on each other in a circle");
  ClusteredGraph made;
  made.graph = reordered(graph, order, new_value);
  const Readers readers(made.graph);
  for (const std::vector<int>& own : groups) {
    std::vector<int> nodes;
    nodes.reserve(own.size());
    for (const int value : own) nodes.push_back(new_value[at_value(value)]);
    std::ranges::sort(nodes);
    std::optional<Cluster> cluster = cluster_of(made.graph, readers, nodes);
    if (!cluster) throw DeviceError("graph", "no kernel makes the nodes of a cluster together");
    made.clusters.push_back(std::move(*cluster));
  }
  return made;
}

}  // namespace terrace::graph
