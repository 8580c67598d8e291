// A graph's distances and next nodes in tiles, updated through launches on any device.
#pragma once

#include "kernels/recursive/problems.hpp"
#include "kernels/recursive/reference/reference.hpp"
#include "kernels/recursive/semiring.hpp"
#include "tests/differential/recursive/samples.hpp"
#include "tests/differential/recursive/tiled_matrix.hpp"

namespace terrace::recursive::testing {

/// Distances between all nodes, and which node comes next.
template <class T>
struct AllPaths {
  std::vector<T> distance;
  std::vector<std::int32_t> next;  // -1: no path

  /// By the definition. @param clamped true if large distances become infinite
  static AllPaths by_definition(const std::vector<T>& matrix, std::int64_t n, bool clamped) {
    AllPaths paths{matrix, {}};
    std::vector<std::int64_t> edges, next;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) edges.push_back(i == j ? 0 : 1), next.push_back(i == j ? n : j);
    }
    close_paths(paths.distance.data(), edges.data(), next.data(), n);
    for (std::int64_t at = 0; at < n * n; ++at) {
      T& distance = paths.distance[static_cast<std::size_t>(at)];
      if (clamped && distance >= infinity<T>() / T(2)) distance = infinity<T>();
      const std::int64_t after = next[static_cast<std::size_t>(at)];
      paths.next.push_back(static_cast<std::int32_t>(distance >= infinity<T>() ? -1 : after == n ? at / n : after));
    }
    return paths;
  }
};

/// Tiles with trails of type W.
template <class T, class W>
class TiledPaths {
 public:
  TiledPaths(device::Context& context, const std::vector<T>& matrix, std::int64_t n, std::int64_t tile)
      : context_(context),
        n_(n),
        tile_(tile),
        across_((n + tile - 1) / tile),
        matrix_(context, matrix),
        next_(context, std::vector<std::int32_t>(matrix.size(), -7)) {
    for (std::int64_t at = 0; at < across_ * across_; ++at) {
      const auto size = static_cast<std::size_t>(side(at / across_) * side(at % across_));
      tiles_.push_back(std::make_unique<Values<T>>(context, std::vector<T>(size, T(7))));
      trails_.push_back(std::make_unique<Values<W>>(context, std::vector<W>(size, W(7))));
    }
  }

  /// All updates, k by k, in launches of independent updates; @returns the results of the blocks.
  std::vector<TileResult> close(device::BlockKernel& kernel, bool clamped) {
    std::vector<TileResult> results;
    for (std::int64_t k = 0; k < across_; ++k) {
      std::vector<TileTask> groups[3];
      for (std::int64_t at = 0; at < across_ * across_; ++at) {
        const std::int64_t i = at / across_, j = at % across_;
        groups[(i != k) + (j != k)].push_back(task(i, j, k, clamped));
      }
      for (const auto& tasks : groups) {
        if (run_blocks(context_, kernel, tasks, results).done != tasks.size()) {
          throw std::runtime_error("the launch ended before its blocks were done");
        }
      }
    }
    return results;
  }

  AllPaths<T> paths() const {
    AllPaths<T> paths{{}, next_.vector()};
    for (std::int64_t i = 0; i < n_; ++i) {
      for (std::int64_t j = 0; j < n_; ++j) {
        const T* tile = tiles_[number(i / tile_, j / tile_)]->data();
        paths.distance.push_back(tile[i % tile_ * side(j / tile_) + j % tile_]);
      }
    }
    return paths;
  }

 private:
  std::int64_t side(std::int64_t i) const { return std::min(tile_, n_ - i * tile_); }
  std::size_t number(std::int64_t i, std::int64_t j) const { return static_cast<std::size_t>(i * across_ + j); }

  TileTask task(std::int64_t i, std::int64_t j, std::int64_t k, bool clamped) const {
    TileTask task{};
    task.rows = side(i);
    task.columns = side(j);
    task.depth = side(k);
    task.first_pivot = k * tile_;
    task.function = i == k ? (j == k ? Function::a : Function::b) : (j == k ? Function::c : Function::d);
    task.last = k + 1 == across_;
    task.clamped = clamped;
    task.first_row = i * tile_;
    task.first_column = j * tile_;
    const auto take = [&](auto*& values, auto*& trails, device::i64& stride, std::int64_t row, std::int64_t column) {
      values = tiles_[number(row, column)]->data();
      trails = trails_[number(row, column)]->data();
      stride = side(column);
    };
    take(task.x, task.x_trail, task.x_stride, i, j);
    if (j != k) take(task.u, task.u_trail, task.u_stride, i, k);
    if (i != k) take(task.v, task.v_trail, task.v_stride, k, j);
    const std::int64_t first = i * tile_ * n_ + j * tile_;
    if (k == 0) task.input = matrix_.data() + first, task.input_stride = n_;
    task.output = next_.data() + first;
    task.output_stride = n_;
    return task;
  }

  device::Context& context_;
  std::int64_t n_, tile_, across_;
  Values<T> matrix_;
  Values<std::int32_t> next_;
  std::vector<std::unique_ptr<Values<T>>> tiles_;
  std::vector<std::unique_ptr<Values<W>>> trails_;
};

/// Edges, many of them without weight, so that many paths have equal lengths.
template <class T>
std::vector<T> graph_with_ties(std::int64_t n, double edges, bool negative, unsigned seed) {
  std::vector<T> matrix = random_graph<T>(n, edges, negative, seed);
  if (negative) return matrix;
  for (T& weight : matrix) {
    if (weight < infinity<T>()) weight = static_cast<T>(static_cast<std::int64_t>(weight) % 3);
  }
  return matrix;
}

template <class T, class W>
TileSpec paths_spec() {
  return {find_semiring("min_plus"), element_type_of<T>(), sizeof(W) == 4 ? Table::paths : Table::long_paths};
}

}  // namespace terrace::recursive::testing
