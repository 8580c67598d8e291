// The schedule `levels` (Ghalami and Grosu, Algorithm 2): every thread tests all its cells at every level, and
// computes those of the level.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include "kernels/device/integers.hpp"

namespace terrace::dp_table {

using device::i64;
using device::u32;

/// Computes the cells of a tile; the level of a cell is the sum of its indices.
/// @param in_turn in_turn(pieces, work) calls work(piece, thread) for every piece, on several threads
/// @param aborted true if no further level is to be computed
/// @param compute compute(index, thread) computes the cell at an index of the tile
template <class InTurn, class Aborted, class Compute>
void compute_by_levels(const std::vector<i64>& tile, int threads, const InTurn& in_turn, const Aborted& aborted,
                       const Compute& compute) {
  const i64 cells = std::accumulate(tile.begin(), tile.end(), i64{1}, std::multiplies<>());
  const i64 pieces = std::min<i64>(cells, threads);
  std::vector<u32> level(static_cast<std::size_t>(cells));
  const auto in_pieces = [&](const auto& work) {
    in_turn(pieces, [&](i64 piece, int thread) {
      for (i64 cell = cells * piece / pieces; cell < cells * (piece + 1) / pieces; ++cell) work(cell, thread);
    });
  };
  const auto index_of = [&](i64 cell) {
    std::vector<i64> index(tile.size());
    for (std::size_t d = tile.size(); d-- > 0; cell /= tile[d]) index[d] = cell % tile[d];
    return index;
  };
  in_pieces([&](i64 cell, int) {
    const std::vector<i64> index = index_of(cell);
    level[static_cast<std::size_t>(cell)] = static_cast<u32>(std::accumulate(index.begin(), index.end(), i64{0}));
  });
  for (u32 now = 0; now <= level.back() && !aborted(); ++now) {
    in_pieces([&](i64 cell, int thread) {
      if (level[static_cast<std::size_t>(cell)] == now) compute(index_of(cell), thread);
    });
  }
}

}  // namespace terrace::dp_table
