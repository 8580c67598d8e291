// Searches from several nodes at once, one in each lane of a vector, by passes over the edges out of nodes that have
// changed.
#pragma once

#include "kernels/recursive/cpu/searches/labels.hpp"
#include "kernels/recursive/cpu/searches/vectors.hpp"
#include "kernels/recursive/measured.hpp"
#include "kernels/values/aligned_array.hpp"

namespace terrace::recursive {

/// Rows of distances of type T, up to `lanes` at a time. Of whole numbers weights may be negative, without negative
/// cycles; of real numbers not.
template <class T>
class Sweeps {
  using S = SumOf<T>;

 public:
  static constexpr i64 lanes = sweep_lanes<S>;

  Sweeps(const SearchSpec& spec, const SearchKernels& kernels)
      : graph_(*spec.graph),
        kernels_(kernels),
        loops_(spec.loops),
        distance_(graph_.nodes * lanes),
        list_(graph_.nodes + 1),
        later_(graph_.nodes + 1),
        is_listed_(graph_.nodes) {}

  static std::size_t bytes(const SearchGraph& graph) {
    return static_cast<std::size_t>(graph.nodes) * (lanes * sizeof(S) + 1 + 2 * sizeof(i32));
  }

  /// Searches from `count` nodes. @param put takes distances: put(n, node, values, count) @return false if that would
  /// pass edges so often that searches from one node at a time are quicker: then nothing is written
  template <class Source, class Put>
  bool run(i64 count, const Source& source, const Put& put, bool& any, S& largest) {
    std::fill_n(distance_.data(), graph_.nodes * lanes, none);
    i64 listed = 0;
    for (i64 n = 0; n < count; ++n) listed = begin(n, source(n), listed);
    const i64 most = static_cast<i64>(measured::CpuSearches::sweeps_most *
                                      static_cast<double>(lanes * (graph_.nodes + graph_.edges())));
    for (i64 passed = 0; listed > 0;) {
      listed = sweep(listed, passed);
      std::swap(list_, later_);
      if (passed <= most) continue;
      std::fill_n(is_listed_.data(), graph_.nodes, u8{0});
      return false;
    }
    write(count, put, any, largest);
    return true;
  }

 private:
  static constexpr S none = no_path_sum<T>();

  i64 begin(i64 lane, i32 source, i64 listed) {
    const auto set = [&](i64 node, S sum) {
      S& known = distance_[node * lanes + lane];
      known = std::min(known, sum);
      if (is_listed_[node] == 0) list_[listed++] = static_cast<i32>(node);
      is_listed_[node] = 1;
    };
    if (!loops_) {
      set(source, S(0));
      return listed;
    }
    const auto at = static_cast<std::size_t>(source);
    for (i64 edge = graph_.begin[at]; edge < graph_.begin[at + 1]; ++edge) {
      set(graph_.to[static_cast<std::size_t>(edge)], weights_of<S>(graph_)[edge]);
    }
    return listed;
  }

  i64 sweep(i64 listed, i64& passed) {
    const SweepSearch<S> search{{graph_.begin.data(), graph_.to.data()},
                                weights_of<S>(graph_),
                                distance_.data(),
                                list_.data(),
                                later_.data(),
                                is_listed_.data()};
    if constexpr (std::is_floating_point_v<S>) return kernels_.sweep_f64(search, listed, passed);
    else if constexpr (sizeof(S) == 8) return kernels_.sweep_i64(search, listed, passed);
    else return kernels_.sweep_i32(search, listed, passed);
  }

  template <class Put>
  void write(i64 count, const Put& put, bool& any, S& largest) {
    // Negative weights may have made a distance to nowhere smaller than infinity: no other is as large as half of
    // that.
    const S most = std::is_floating_point_v<S> || !graph_.negative ? none : none / 2;
    constexpr i64 nodes_at_once = 64;
    for (i64 node = 0; node < graph_.nodes; node += nodes_at_once) {
      const i64 end = std::min<i64>(graph_.nodes, node + nodes_at_once);
      for (i64 n = 0; n < count; ++n) {
        T out[nodes_at_once];
        for (i64 j = node; j < end; ++j) {
          const S sum = distance_[j * lanes + n];
          out[j - node] = sum < most ? static_cast<T>(sum) : static_cast<T>(none);
          if (!(sum < most)) continue;
          largest = any ? std::max(largest, sum) : sum;
          any = true;
        }
        put(n, node, out, end - node);
      }
    }
  }

  const SearchGraph& graph_;
  const SearchKernels& kernels_;
  bool loops_;
  values::AlignedArray<S> distance_;
  values::AlignedArray<i32> list_, later_;
  values::AlignedArray<u8> is_listed_;
};

}  // namespace terrace::recursive
