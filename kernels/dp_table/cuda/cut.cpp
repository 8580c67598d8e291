#include "kernels/dp_table/cuda/cut.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "kernels/dp_table/measured.hpp"

namespace terrace::dp_table {
namespace {

using Sizes = measured::CudaTiles;
using Index = std::vector<i64>;

/// Nanoseconds in which a thread block makes a sub-block, with so many others on its multiprocessor.
double block_time(const std::vector<double>& lines, const TileCut& cut, i64 steps, double blocks) {
  const double groups = static_cast<double>(Sizes::warps / cut.ways * (32 / cut.line_cells));
  double time = Sizes::ticket + Sizes::stage * static_cast<double>(steps) / (32 * Sizes::warps);
  for (const double count : lines) {
    const double rounds = std::ceil(count / groups), busy = std::min(1.0, count / groups);
    const double look_up = std::max(Sizes::latency, Sizes::look_up * Sizes::warps * blocks * busy);
    time += Sizes::barrier + rounds * (Sizes::round * (cut.ways > 1 ? 2 : 1) +
                                       look_up * std::ceil(static_cast<double>(steps) / cut.ways));
  }
  return time;
}

/// Nanoseconds in which a tile is made.
double time_of(const Index& extents, const TileCut& cut, i64 steps) {
  const std::vector<double> lines = levels_of(lines_of(cut));
  double times[Sizes::resident + 1];
  for (int blocks = 1; blocks <= Sizes::resident; ++blocks) times[blocks] = block_time(lines, cut, steps, blocks);
  double time = 0;
  for (const double count : levels_of(counts_of(extents, cut.shape))) {
    const int blocks =
        std::clamp(static_cast<int>(std::ceil(count / Sizes::processors)), 1, static_cast<int>(Sizes::resident));
    time += Sizes::level + std::ceil(count / (Sizes::processors * blocks)) * times[blocks];
  }
  return time;
}

/// The best number of ways for the shape, and its time.
double choose_ways(const Index& extents, TileCut& cut, i64 steps) {
  double best = -1;
  for (int ways = 1; ways <= Sizes::warps; ways *= 2) {
    TileCut tried = cut;
    tried.ways = ways;
    const double time = time_of(extents, tried, steps);
    if (best < 0 || time < best) best = time, cut.ways = ways;
  }
  return best;
}

}  // namespace

i64 quotient_up(i64 a, i64 b) { return (a + b - 1) / b; }

i64 product(const Index& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), i64{1}, std::multiplies<>());
}

std::vector<double> levels_of(const Index& counts) {
  std::vector<double> levels{1};
  for (const i64 count : counts) {
    std::vector<double> next(levels.size() + static_cast<std::size_t>(count) - 1);
    double sum = 0;
    for (std::size_t level = 0; level < next.size(); ++level) {
      if (level < levels.size()) sum += levels[level];
      if (level >= static_cast<std::size_t>(count)) sum -= levels[level - static_cast<std::size_t>(count)];
      next[level] = sum;
    }
    levels = std::move(next);
  }
  return levels;
}

Index counts_of(const Index& extents, const Index& shape) {
  Index counts;
  for (std::size_t d = 0; d < extents.size(); ++d) counts.push_back(quotient_up(extents[d], shape[d]));
  return counts;
}

Index lines_of(const TileCut& cut) {
  Index lines = cut.shape;
  lines.back() = quotient_up(lines.back(), cut.line_cells);
  return lines;
}

i64 line_cells_of(i64 extent) {
  i64 best = 1;
  double best_use = 0;
  const i64 fewest = quotient_up(extent, most_line_cells);
  for (i64 lines = fewest; lines <= std::min(extent, fewest + 3); ++lines) {
    const i64 cells = quotient_up(extent, lines);
    // Lanes that have a cell, of those that the extent takes; a line more costs a level.
    const double use =
        static_cast<double>(extent * (32 / cells)) / static_cast<double>(32 * quotient_up(extent, cells)) -
        Sizes::line_level * static_cast<double>(lines - fewest);
    if (use > best_use) best_use = use, best = cells;
  }
  return best;
}

TileCut choose_cut(const Index& extents, i64 steps, bool rows_are_single) {
  TileCut cut{Index(extents.size(), 1), line_cells_of(extents.back()), 1};
  cut.shape.back() = cut.line_cells;
  const bool is_large = product(extents) > Sizes::small_cells;
  TileCut best = cut;
  double best_time = choose_ways(extents, best, steps);
  while (product(cut.shape) < Sizes::most_cells) {
    // The dimension in which to double the sub-block next.
    TileCut next = cut;
    double next_time = -1;
    for (std::size_t d = rows_are_single && extents.size() > 1 ? 1 : 0; d < extents.size(); ++d) {
      const i64 blocks = quotient_up(extents[d], cut.shape[d]);
      if (blocks == 1 || (is_large && d + 1 < extents.size() && blocks < 2 * Sizes::least_blocks_along)) continue;
      TileCut tried = cut;
      tried.shape[d] = quotient_up(extents[d], (blocks + 1) / 2);
      if (d + 1 == extents.size()) tried.shape[d] = quotient_up(tried.shape[d], cut.line_cells) * cut.line_cells;
      const double time = choose_ways(extents, tried, steps);
      if (next_time < 0 || time < next_time) next_time = time, next = tried;
    }
    if (next_time < 0) break;
    cut = next;
    if (next_time < best_time) best_time = next_time, best = next;
  }
  return best;
}

}  // namespace terrace::dp_table
