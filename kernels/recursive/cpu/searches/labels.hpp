// The labels of nodes in a search from one node: distances, and nodes of paths.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/recursive/searches.hpp"
#include "kernels/recursive/semiring.hpp"

namespace terrace::recursive {

using device::i32;
using device::i64;
using device::u8;

/// The weights of a graph as searches sum them.
template <class S>
const S* weights_of(const SearchGraph& graph) {
  return std::get<std::vector<S>>(graph.weight).data();
}

/// The sum that means no path, for distances of type T.
template <class T>
constexpr SumOf<T> no_path_sum() {
  return static_cast<SumOf<T>>(infinity<T>());
}

/// Distances from one node, with the edges of a path and a node of it (Beside) if `paths`.
template <class S, bool paths>
struct Labels {
  std::vector<S> distance;
  std::vector<i32> edges, beside;

  void begin(i64 nodes, S none) {
    distance.assign(static_cast<std::size_t>(nodes), none);
    if constexpr (paths) {
      edges.assign(static_cast<std::size_t>(nodes), 0);
      beside.assign(static_cast<std::size_t>(nodes), -1);
    }
  }
};

/// Gives the labels out as a row of the table. @param largest of the finite distances @return true if there is any
template <class T, bool paths>
bool write_row(const Labels<SumOf<T>, paths>& labels, T* distance, i32* beside, SumOf<T>& largest) {
  constexpr SumOf<T> none = no_path_sum<T>();
  bool any = false;
  for (std::size_t node = 0; node < labels.distance.size(); ++node) {
    const SumOf<T> sum = labels.distance[node];
    distance[node] = static_cast<T>(sum);
    if (sum >= none) continue;
    largest = any ? std::max(largest, sum) : sum;
    any = true;
  }
  if constexpr (paths) std::copy(labels.beside.begin(), labels.beside.end(), beside);
  return any;
}

}  // namespace terrace::recursive
