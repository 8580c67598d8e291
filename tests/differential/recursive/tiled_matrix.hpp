// A square matrix in tiles, updated block by block through launches on the CPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "kernels/recursive/task.hpp"
#include "kernels/recursive/updates.hpp"

namespace terrace::recursive::testing {

/// Tiles of a row-major n x n matrix, each tightly packed as the executor holds them.
template <class T>
class TiledMatrix {
 public:
  TiledMatrix(const std::vector<T>& matrix, std::int64_t n, std::int64_t tile)
      : n_(n), tile_(tile), across_((n + tile - 1) / tile), matrix_(matrix) {
    tiles_.resize(static_cast<std::size_t>(across_ * across_));
    for (std::int64_t i = 0; i < across_; ++i) {
      for (std::int64_t j = 0; j < across_; ++j) at(i, j).resize(static_cast<std::size_t>(side(i) * side(j)), T(7));
    }
  }

  /// All updates, k by k, one launch each. @returns what the blocks found, in order
  std::vector<TileResult> close(Updates& updates, bool clamped) {
    std::vector<TileResult> results;
    for (std::int64_t k = 0; k < across_; ++k) {
      results.push_back(update(updates, k, k, k, clamped));
      for (std::int64_t j = 0; j < across_; ++j) {
        if (j != k) results.push_back(update(updates, k, j, k, clamped));
      }
      for (std::int64_t i = 0; i < across_; ++i) {
        if (i != k) results.push_back(update(updates, i, k, k, clamped));
        for (std::int64_t j = 0; i != k && j < across_; ++j) {
          if (j != k) results.push_back(update(updates, i, j, k, clamped));
        }
      }
    }
    return results;
  }

  std::vector<T> matrix() const {
    std::vector<T> all(static_cast<std::size_t>(n_ * n_));
    for (std::int64_t i = 0; i < n_; ++i) {
      for (std::int64_t j = 0; j < n_; ++j) {
        const auto& tile = tiles_[static_cast<std::size_t>(i / tile_ * across_ + j / tile_)];
        all[static_cast<std::size_t>(i * n_ + j)] =
            tile[static_cast<std::size_t>(i % tile_ * side(j / tile_) + j % tile_)];
      }
    }
    return all;
  }

 private:
  std::int64_t side(std::int64_t i) const { return std::min(tile_, n_ - i * tile_); }
  std::vector<T>& at(std::int64_t i, std::int64_t j) { return tiles_[static_cast<std::size_t>(i * across_ + j)]; }

  TileResult update(Updates& updates, std::int64_t i, std::int64_t j, std::int64_t k, bool clamped) {
    TileTask task{};
    task.rows = side(i);
    task.columns = side(j);
    task.depth = side(k);
    task.first_pivot = k * tile_;
    task.function = i == k ? (j == k ? Function::a : Function::b) : (j == k ? Function::c : Function::d);
    task.last = k + 1 == across_;
    task.clamped = clamped;
    task.x = at(i, j).data();
    task.x_stride = side(j);
    if (j != k) task.u = at(i, k).data(), task.u_stride = side(k);
    if (i != k) task.v = at(k, j).data(), task.v_stride = side(j);
    if (k == 0) task.input = matrix_.data() + i * tile_ * n_ + j * tile_, task.input_stride = n_;
    TileResult result{};
    device::u64 ready = 1, stop = 0, abort = 0, done = 0, failed = 0;
    updates.run({&ready, &stop, &abort, &done, &failed, &task, &result, 1, sizeof task, sizeof result, 0, 1});
    if (done != 1) throw std::runtime_error("the launch ended before its block was done");
    return result;
  }

  std::int64_t n_, tile_, across_;
  const std::vector<T>& matrix_;
  std::vector<std::vector<T>> tiles_;
};

}  // namespace terrace::recursive::testing
