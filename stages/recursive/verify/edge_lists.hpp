// The edges of a matrix of weights, node by node, and shortest paths by a search over them.
#pragma once

#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "kernels/recursive/searches.hpp"
#include "kernels/recursive/semiring.hpp"
#include "stages/verifier.hpp"

namespace terrace::stages {

/// The edges out of each node. As many as some 256 MiB hold are kept in memory; of matrices with more, rows are read
/// whenever they are asked for.
/// @tparam T type of the weights
template <class T>
class EdgeLists {
 public:
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;  // of weights
  struct Edge {
    std::int32_t to;
    T weight;
  };

  /// @param weights nodes x nodes; no edge is recursive::infinity<T>()
  /// @param graph its edges, for matrices whose rows are too many to be read; null: they are read
  /// @param zero_diagonal true if an edge of weight 0 leads from each node to itself
  EdgeLists(std::shared_ptr<io::Source> weights, const recursive::SearchGraph* graph, bool zero_diagonal)
      : weights_(std::move(weights)) {
    if (graph != nullptr) take(*graph, zero_diagonal);
    else read_all();
  }

  std::int64_t nodes() const { return weights_->shape()[0]; }
  bool has_negative() const { return negative_; }
  /// The largest magnitude of a weight.
  double largest() const { return largest_; }

  template <class Visit>
  void for_each(std::int64_t node, Visit&& visit) const {
    if (!kept_) {
      for (const Edge& edge : read(node)) visit(edge);
      return;
    }
    const auto at = static_cast<std::size_t>(node);
    for (std::int64_t edge = begin_[at]; edge < begin_[at + 1]; ++edge) visit(edges_[static_cast<std::size_t>(edge)]);
  }

  /// The weight of an edge; nullopt if there is no such edge.
  std::optional<T> weight(std::int64_t from, std::int64_t to) const {
    const T weight = read_box<T>(*weights_, {{from, to}, {from + 1, to + 1}})[0];
    if (!(weight < recursive::infinity<T>())) return std::nullopt;
    return weight;
  }

 private:
  void add(const Edge& edge) {
    if (edge.weight < T(0)) negative_ = true;
    largest_ = std::max(largest_, std::abs(static_cast<double>(edge.weight)));
    if (kept_) edges_.push_back(edge);
  }

  void read_all() {
    begin_.push_back(0);
    for (std::int64_t node = 0; node < nodes(); ++node) {
      for (const Edge& edge : read(node)) add(edge);
      begin_.push_back(static_cast<std::int64_t>(edges_.size()));
      if (edges_.size() > most_kept) kept_ = false, edges_ = {};
    }
  }

  void take(const recursive::SearchGraph& graph, bool zero_diagonal) {
    const auto& weight = std::get<std::vector<recursive::SumOf<T>>>(graph.weight);
    begin_.push_back(0);
    for (std::size_t node = 0; node + 1 < graph.begin.size(); ++node) {
      if (zero_diagonal) add({static_cast<std::int32_t>(node), T(0)});
      for (auto edge = static_cast<std::size_t>(graph.begin[node]);
           edge < static_cast<std::size_t>(graph.begin[node + 1]); ++edge) {
        add({graph.to[edge], static_cast<T>(weight[edge])});
      }
      begin_.push_back(static_cast<std::int64_t>(edges_.size()));
    }
  }

  static constexpr std::size_t most_kept = (std::size_t{256} << 20) / sizeof(Edge);

  std::vector<Edge> read(std::int64_t node) const {
    std::vector<Edge> edges;
    const std::vector<T> row = read_box<T>(*weights_, {{node, 0}, {node + 1, nodes()}});
    for (std::size_t to = 0; to < row.size(); ++to) {
      if (row[to] < recursive::infinity<T>()) edges.push_back({static_cast<std::int32_t>(to), row[to]});
    }
    return edges;
  }

  std::shared_ptr<io::Source> weights_;
  bool kept_ = true, negative_ = false;
  double largest_ = 0;
  std::vector<std::int64_t> begin_;  // of the edges of each node, and the end
  std::vector<Edge> edges_;
};

/// Distances from a node over at least one edge; nullopt if there is no path. Real ones are summed in f64.
template <class T>
using Distances = std::vector<std::optional<typename EdgeLists<T>::Sum>>;

/// Dijkstra 1959: edges that weigh nothing, or something.
template <class T>
Distances<T> nearest_first(const EdgeLists<T>& edges, std::int64_t from) {
  using Sum = typename EdgeLists<T>::Sum;
  Distances<T> found(static_cast<std::size_t>(edges.nodes()));
  std::set<std::pair<Sum, std::int32_t>> open;
  const auto relax = [&](std::int64_t node, Sum before) {
    edges.for_each(node, [&](const auto& edge) {
      auto& distance = found[static_cast<std::size_t>(edge.to)];
      const Sum through = before + static_cast<Sum>(edge.weight);
      if (distance && *distance <= through) return;
      if (distance) open.erase({*distance, edge.to});
      distance = through;
      open.insert({through, edge.to});
    });
  };
  relax(from, Sum(0));
  while (!open.empty()) {
    const auto [distance, node] = *open.begin();
    open.erase(open.begin());
    relax(node, distance);
  }
  return found;
}

/// Bellman 1958 and Ford 1956, with a queue: edges of any weight. @throws ComputeError on a cycle of negative weight
template <class T>
Distances<T> in_queue(const EdgeLists<T>& edges, std::int64_t from) {
  using Sum = typename EdgeLists<T>::Sum;
  Distances<T> found(static_cast<std::size_t>(edges.nodes()));
  std::vector<std::int64_t> rounds(found.size());
  std::vector<bool> waits(found.size());
  std::deque<std::int32_t> queue;
  const auto relax = [&](std::int64_t node, Sum before) {
    edges.for_each(node, [&](const auto& edge) {
      const auto to = static_cast<std::size_t>(edge.to);
      const Sum through = before + static_cast<Sum>(edge.weight);
      if (found[to] && *found[to] <= through) return;
      found[to] = through;
      if (waits[to]) return;
      if (++rounds[to] > edges.nodes() + 1) throw ComputeError("the edges have a cycle of negative weight");
      waits[to] = true;
      queue.push_back(edge.to);
    });
  };
  relax(from, Sum(0));
  while (!queue.empty()) {
    const std::int32_t node = queue.front();
    queue.pop_front();
    waits[static_cast<std::size_t>(node)] = false;
    relax(node, *found[static_cast<std::size_t>(node)]);
  }
  return found;
}

}  // namespace terrace::stages
