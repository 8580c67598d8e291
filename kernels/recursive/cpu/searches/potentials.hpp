// Potentials by which no edge weighs less than nothing (Johnson 1977).
#pragma once

#include <numeric>
#include <optional>

#include "kernels/recursive/cpu/searches/labels.hpp"

namespace terrace::recursive {

/// Finds the least sum of weights along any path to each node, by passes over the edges out of nodes that have
/// changed (Bellman 1958, Ford 1956).
/// @tparam W type of potentials
template <class S, class W>
class Potentials {
 public:
  Potentials(const SearchGraph& graph, W* potential)
      : graph_(graph),
        weight_(weights_of<S>(graph)),
        potential_(potential),
        before_(static_cast<std::size_t>(graph.nodes), -1),
        is_listed_(before_.size(), 0) {}

  /// @param stopped asked between passes: true leaves potentials as they are
  /// @return a node on a cycle of negative weight, or -1
  template <class Stopped>
  i64 run(const Stopped& stopped) {
    std::fill_n(potential_, graph_.nodes, W(0));
    std::vector<i32> list(before_.size()), later;
    std::iota(list.begin(), list.end(), 0);
    for (std::size_t passed = 0; !list.empty() && !stopped(); list.swap(later)) {
      later.clear();
      for (const i32 node : list) pass(node, later);
      passed += list.size();
      if (passed < before_.size()) continue;
      passed = 0;
      if (const std::optional<i32> node = find_cycle()) {
        if (weighs_less_than_nothing(*node)) return *node;
        return -1;  // only rounding makes it shorter and shorter
      }
    }
    return -1;
  }

 private:
  static std::size_t index(i64 node) { return static_cast<std::size_t>(node); }

  void pass(i32 node, std::vector<i32>& later) {
    is_listed_[index(node)] = 0;
    for (i64 edge = graph_.begin[index(node)]; edge < graph_.begin[index(node) + 1]; ++edge) {
      const i32 to = graph_.to[index(edge)];
      const W through = potential_[node] + static_cast<W>(weight_[edge]);
      if (!(through < potential_[to])) continue;
      potential_[to] = through;
      before_[index(to)] = node;
      if (is_listed_[index(to)] != 0) continue;
      is_listed_[index(to)] = 1;
      later.push_back(to);
    }
  }

  /// A node on a cycle of the nodes before each.
  std::optional<i32> find_cycle() const {
    std::vector<i32> seen_from(before_.size(), -1);
    for (std::size_t start = 0; start < before_.size(); ++start) {
      auto node = static_cast<i32>(start);
      while (node >= 0 && seen_from[index(node)] < 0) {
        seen_from[index(node)] = static_cast<i32>(start);
        node = before_[index(node)];
      }
      if (node >= 0 && seen_from[index(node)] == static_cast<i32>(start)) return node;
    }
    return std::nullopt;
  }

  bool weighs_less_than_nothing(i32 start) const {
    W sum(0);
    i32 node = start;
    do {
      const i32 from = before_[index(node)];
      std::optional<W> least;
      for (i64 edge = graph_.begin[index(from)]; edge < graph_.begin[index(from) + 1]; ++edge) {
        const auto weight = static_cast<W>(weight_[edge]);
        if (graph_.to[index(edge)] == node && (!least || weight < *least)) least = weight;
      }
      sum += *least;
      node = from;
    } while (node != start);
    return sum < W(0);
  }

  const SearchGraph& graph_;
  const S* weight_;
  W* potential_;
  std::vector<i32> before_;  // the node before each on its path; -1: the path begins there
  std::vector<u8> is_listed_;
};

}  // namespace terrace::recursive
