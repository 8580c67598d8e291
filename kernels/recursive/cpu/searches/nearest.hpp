// Searches from one node at a time: nearest nodes first, and in breadth.
#pragma once

#include <utility>

#include "kernels/recursive/cpu/searches/labels.hpp"

namespace terrace::recursive {

/// Open nodes by priority, the least first: a heap in which a node has four below it. A node may be in it several
/// times.
template <class Priority>
class OpenNodes {
 public:
  struct Entry {
    Priority priority;
    i32 node;
  };

  bool empty() const { return entries_.empty(); }
  void clear() { entries_.clear(); }

  void add(Priority priority, i32 node) {
    std::size_t at = entries_.size();
    entries_.push_back({priority, node});
    for (; at > 0; at = (at - 1) / 4) {
      const Entry above = entries_[(at - 1) / 4];
      if (!(priority < above.priority)) break;
      entries_[at] = above;
    }
    entries_[at] = {priority, node};
  }

  Entry take() {
    const Entry first = entries_.front(), last = entries_.back();
    entries_.pop_back();
    const std::size_t count = entries_.size();
    std::size_t at = 0;
    for (std::size_t below = 1; below < count; below = 4 * at + 1) {
      std::size_t least = below;
      for (std::size_t other = below + 1; other < std::min(count, below + 4); ++other) {
        if (entries_[other].priority < entries_[least].priority) least = other;
      }
      if (!(entries_[least].priority < last.priority)) break;
      entries_[at] = entries_[least];
      at = least;
    }
    if (count > 0) entries_[at] = last;
    return first;
  }

 private:
  std::vector<Entry> entries_;
};

/// Dijkstra 1959, with Johnson's potentials (1977) if weights are negative. Sums are those of the weights themselves;
/// potentials only say which node is next. With paths, priorities are pairs of these and of edges, so that they grow
/// along edges without weight, too.
template <class T, bool paths>
class NearestFirst {
  using S = SumOf<T>;
  using Wide = std::conditional_t<std::is_floating_point_v<S>, double, i64>;  // of potentials
  using Priority = std::conditional_t<paths, std::pair<Wide, i32>, Wide>;

 public:
  explicit NearestFirst(const SearchSpec& spec)
      : graph_(*spec.graph),
        weight_(weights_of<S>(graph_)),
        keeps_previous_(spec.beside == Beside::previous),
        loops_(spec.loops) {}

  const Labels<S, paths>& labels() const { return labels_; }

  /// @param potential of each node; null: all are 0, and no weight is negative
  void run(i32 source, const void* potential) {
    potential_ = static_cast<const Wide*>(potential);
    labels_.begin(graph_.nodes, none);
    if constexpr (std::is_floating_point_v<S>) is_closed_.assign(static_cast<std::size_t>(graph_.nodes), 0);
    if (!loops_) {
      at(labels_.distance, source) = S(0);
      if constexpr (paths) at(labels_.beside, source) = source;
    }
    pass<true>(source, S(0), 0);
    while (!open_.empty()) {
      const auto entry = open_.take();
      const S distance = at(labels_.distance, entry.node);
      i32 edges = 0;
      if constexpr (paths) edges = at(labels_.edges, entry.node);
      if (priority(distance, edges, entry.node) < entry.priority) continue;  // it was nearer, and is closed
      if constexpr (std::is_floating_point_v<S>) {
        if (std::exchange(at(is_closed_, entry.node), u8{1}) != 0) continue;
      }
      pass<false>(entry.node, distance, edges);
    }
  }

 private:
  static constexpr S none = no_path_sum<T>();

  template <class V>
  static auto& at(V& values, i64 node) {
    return values[static_cast<std::size_t>(node)];
  }

  Priority priority(S distance, i32 edges, i32 node) const {
    Wide wide = distance;
    if (potential_ != nullptr) wide -= potential_[node];
    if constexpr (paths) return {wide, edges};
    else return wide;
  }

  /// Passes over the edges out of a node. @tparam first true: it is the source
  template <bool first>
  void pass(i32 node, S distance, i32 edges) {
    for (i64 edge = at(graph_.begin, node); edge < at(graph_.begin, node + 1); ++edge) {
      const i32 to = at(graph_.to, edge);
      const S through = distance + weight_[edge];
      if constexpr (std::is_floating_point_v<S>) {
        // Rounding may seem to shorten a path by a cycle that weighs nothing.
        if (at(is_closed_, to) != 0) continue;
      }
      S& known = at(labels_.distance, to);
      if constexpr (!paths) {
        if (!(through < known)) continue;
        known = through;
        open_.add(priority(through, 0, to), to);
      } else {
        if (known < through || !(through < none)) continue;
        const i32 along = edges + 1, beside = keeps_previous_ ? node : first ? to : at(labels_.beside, node);
        if (through == known && at(labels_.edges, to) <= along) {
          if (at(labels_.edges, to) == along) at(labels_.beside, to) = std::min(at(labels_.beside, to), beside);
          continue;
        }
        known = through;
        at(labels_.edges, to) = along;
        at(labels_.beside, to) = beside;
        open_.add(priority(through, along, to), to);
      }
    }
  }

  const SearchGraph& graph_;
  const S* weight_;
  const Wide* potential_ = nullptr;
  bool keeps_previous_, loops_;
  Labels<S, paths> labels_;
  std::vector<u8> is_closed_;  // of real numbers
  OpenNodes<Priority> open_;
};

/// In breadth: of graphs whose weights are equal, and not negative.
template <class T, bool paths>
class BreadthFirst {
  using S = SumOf<T>;

 public:
  explicit BreadthFirst(const SearchSpec& spec)
      : graph_(*spec.graph),
        weight_(graph_.edges() > 0 ? weights_of<S>(graph_)[0] : S(0)),
        keeps_previous_(spec.beside == Beside::previous),
        loops_(spec.loops) {}

  const Labels<S, paths>& labels() const { return labels_; }

  void run(i32 source, const void*) {
    labels_.begin(graph_.nodes, no_path_sum<T>());
    level_.assign(static_cast<std::size_t>(graph_.nodes), -1);
    queue_.clear();
    if (!loops_) {
      at(level_, source) = 0;
      at(labels_.distance, source) = S(0);
      if constexpr (paths) at(labels_.beside, source) = source;
    }
    level_weight_ = {S(0)};
    pass<true>(source, 0);
    for (std::size_t n = 0; n < queue_.size(); ++n) pass<false>(queue_[n], at(level_, queue_[n]));
  }

 private:
  template <class V>
  static auto& at(V& values, i64 node) {
    return values[static_cast<std::size_t>(node)];
  }

  template <bool first>
  void pass(i32 node, i32 level) {
    const i32 along = level + 1;
    if (static_cast<std::size_t>(along) == level_weight_.size()) {
      const S sum = level_weight_.back() + weight_;
      level_weight_.push_back(sum < no_path_sum<T>() ? sum : no_path_sum<T>());
    }
    const S distance = at(level_weight_, along);
    if (!(distance < no_path_sum<T>())) return;
    for (i64 edge = at(graph_.begin, node); edge < at(graph_.begin, node + 1); ++edge) {
      const i32 to = at(graph_.to, edge);
      i32& known = at(level_, to);
      if (known >= 0 && known < along) continue;
      i32 beside = to;
      if constexpr (paths) beside = keeps_previous_ ? node : first ? to : at(labels_.beside, node);
      if (known < 0) {
        known = along;
        at(labels_.distance, to) = distance;
        if constexpr (paths) at(labels_.beside, to) = beside;
        queue_.push_back(to);
      } else if constexpr (paths) {
        at(labels_.beside, to) = std::min(at(labels_.beside, to), beside);
      }
    }
  }

  const SearchGraph& graph_;
  S weight_;
  bool keeps_previous_, loops_;
  Labels<S, paths> labels_;
  std::vector<i32> level_, queue_;
  std::vector<S> level_weight_;  // the sum of so many weights
};

}  // namespace terrace::recursive
