// Searches in breadth from many nodes at once, by bits: of graphs whose weights are equal, and not negative.
#pragma once

#include <bit>
#include <memory>

#include "kernels/recursive/cpu/searches/labels.hpp"
#include "kernels/recursive/cpu/searches/vectors.hpp"
#include "kernels/values/aligned_array.hpp"

namespace terrace::recursive {

/// Rows of distances of type T, up to 64 * words() at a time. Levels are numbers whose bits are stored apart, so that
/// a level costs as little as the nodes that it reaches.
template <class T>
class LevelsAtOnce {
  using S = SumOf<T>;

 public:
  LevelsAtOnce(const SearchSpec& spec, const SearchKernels& kernels, int words)
      : graph_(*spec.graph),
        kernels_(kernels),
        words_(words),
        loops_(spec.loops),
        weight_(graph_.edges() > 0 ? weights_of<S>(graph_)[0] : S(0)),
        front_(cells()),
        next_(cells()),
        reached_(cells()),
        is_marked_(graph_.nodes),
        list_(graph_.nodes + 1),
        marked_(graph_.nodes + 1) {}

  /// Bytes of memory at most.
  static std::size_t bytes(const SearchGraph& graph, int words) {
    const auto nodes = static_cast<std::size_t>(graph.nodes);
    const auto planes = static_cast<std::size_t>(std::bit_width(nodes));
    return nodes * (8 * static_cast<std::size_t>(words) * (3 + planes) + 1 + 2 * sizeof(i32));
  }

  int words() const { return words_; }

  /// Searches from `count` nodes. @param source of row n @param put takes distances: put(n, node, values, count)
  /// @return true if there is a finite distance; `largest` is the largest of these
  template <class Source, class Put>
  bool run(i64 count, const Source& source, const Put& put, S& largest) {
    const i64 last = search(count, source);
    values_.assign(1, static_cast<T>(infinity<T>()));
    for (const S sum : level_weight_) values_.push_back(static_cast<T>(sum));
    write(count, put);
    largest = level_weight_[static_cast<std::size_t>(std::max<i64>(0, last))];
    return last >= 0;
  }

 private:
  i64 cells() const { return graph_.nodes * words_; }

  LevelSearch view() {
    return {{graph_.begin.data(), graph_.to.data()},
            words_,
            front_.data(),
            next_.data(),
            reached_.data(),
            planes_of_.data(),
            is_marked_.data()};
  }

  /// Makes reached and planes. @return the last level that reaches a node; -1: there is none
  template <class Source>
  i64 search(i64 count, const Source& source) {
    std::fill_n(reached_.data(), cells(), u64{0});
    for (auto& plane : planes_) std::fill_n(plane.data(), cells(), u64{0});
    level_weight_.assign(1, S(0));
    i64 listed = begin(count, source), last = loops_ ? -1 : 0;
    for (u32 level = 1; listed > 0; ++level) {
      const S sum = level_weight_.back() + weight_;
      if (!(sum < no_path_sum<T>())) break;
      add_planes(level);
      const i64 marked = kernels_.push(view(), list_.data(), listed, marked_.data());
      listed = kernels_.settle(view(), marked_.data(), marked, level, list_.data());
      if (listed == 0) break;
      level_weight_.push_back(sum);
      last = level;
    }
    return last;
  }

  /// Lists the sources. @return the number of different ones
  template <class Source>
  i64 begin(i64 count, const Source& source) {
    i64 listed = 0;
    for (i64 n = 0; n < count; ++n) {
      for (int w = 0; w < words_; ++w) front_[source(n) * words_ + w] = 0;
    }
    for (i64 n = 0; n < count; ++n) {
      const i64 node = source(n), at = node * words_ + n / 64;
      if (is_marked_[node] == 0) list_[listed++] = static_cast<i32>(node);
      is_marked_[node] = 1;
      front_[at] |= u64{1} << n % 64;
      if (!loops_) reached_[at] |= u64{1} << n % 64;
    }
    for (i64 n = 0; n < listed; ++n) is_marked_[list_[n]] = 0;
    return listed;
  }

  void add_planes(u32 level) {
    while (static_cast<std::size_t>(std::bit_width(level)) > planes_.size()) {
      planes_.emplace_back(cells());
      planes_of_.push_back(planes_.back().data());
    }
  }

  template <class Put>
  void write(i64 count, const Put& put) {
    const auto planes = static_cast<i64>(std::bit_width(level_weight_.size() - 1));
    for (i64 node = 0; node < graph_.nodes; node += 64) {
      const i64 nodes = std::min<i64>(64, graph_.nodes - node);
      for (i64 first = 0; first < count; first += 64) {
        kernels_.levels(view(), graph_.nodes, node, first / 64, planes, levels_);
        for (i64 b = 0; b < std::min<i64>(64, count - first); ++b) {
          T distance[64];
          const u32* level = levels_ + 64 * b;
          for (i64 j = 0; j < nodes; ++j) distance[j] = values_[level[j]];
          put(first + b, node, distance, nodes);
        }
      }
    }
  }

  const SearchGraph& graph_;
  const SearchKernels& kernels_;
  int words_;
  bool loops_;
  S weight_;
  values::AlignedArray<u64> front_, next_, reached_;
  std::vector<values::AlignedArray<u64>> planes_;
  std::vector<u64*> planes_of_;
  values::AlignedArray<u8> is_marked_;
  values::AlignedArray<i32> list_, marked_;
  std::vector<S> level_weight_;  // the sum of so many weights
  std::vector<T> values_;        // of levels plus 1; 0: not reached
  u32 levels_[64 * 64];
};

}  // namespace terrace::recursive
