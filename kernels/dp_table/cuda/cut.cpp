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

/// Slabs of so few cells are not cut further.
constexpr i64 small_cells = 128;

/// Work of a slab.
struct SlabWork {
  double cells = 1;
  double leaving = 0, crossing = 0;  // outer steps from all cells, and those that are inner steps of others
  double inner = 0, needed = 0;      // inner steps, and those of them that most cells need
  double levels = 1;                 // of its cells
};

SlabWork work_of(const Index& extents, const TileCut& cut, const std::vector<StepComponents>& steps) {
  SlabWork work;
  work.cells = static_cast<double>(product(cut.shape));
  Index shortest(cut.shape.size(), 0);
  u64 inside = 0;  // dimensions in which a slab has several indices
  for (std::size_t d = 0; d < cut.shape.size(); ++d) inside |= cut.shape[d] > 1 ? u64{1} << d : 0;
  double least_sum = 1e300;  // of components of needed inner steps
  bool any_longer = false;
  for (const StepComponents& step : steps) {
    if (!is_inner(step, cut)) {
      ++work.leaving;
      continue;
    }
    ++work.inner;
    if (step.components[cut.first] > 0 && cut.shape[cut.first] < extents[cut.first]) ++work.crossing;
    any_longer = any_longer || (step.longer & inside) != 0;
    if ((step.longer & inside) == 0) {
      ++work.needed;
      const double sum = static_cast<double>(std::accumulate(step.components.begin(), step.components.end(), i64{0}));
      least_sum = std::min(least_sum, sum);
    }
    for (std::size_t d = cut.first; d < shortest.size(); ++d) {
      const i64 component = step.components[d];
      if (component > 0) shortest[d] = shortest[d] == 0 ? component : std::min(shortest[d], component);
    }
  }
  for (std::size_t d = cut.first; d < shortest.size(); ++d) {
    if (shortest[d] > 0) work.levels += static_cast<double>((cut.shape[d] - 1) / shortest[d]);
  }
  if (any_longer) work.levels = 1 + (work.levels - 1) / least_sum;
  work.levels = std::min(work.levels, work.cells);
  return work;
}

/// Nanoseconds in which a thread block makes a slab, with so many of them on its multiprocessor.
/// @param is_early true if slabs gather values while the level before is made
double slab_time(const SlabWork& work, int blocks, bool is_early) {
  const double passes = std::ceil(work.cells / (4.0 * Sizes::threads));
  const double outer = work.leaving + Sizes::crossing * work.crossing;
  const double waits = passes * std::ceil(outer / 4) * Sizes::latency * (is_early ? Sizes::early : 1);
  const double look_ups = passes * Sizes::threads / 8 * outer * Sizes::look_up * blocks;
  const double rounds = std::ceil(work.cells / work.levels / Sizes::threads);
  return Sizes::ticket + Sizes::stage * std::ceil((work.leaving + work.crossing) / Sizes::threads) +
         std::max(waits, look_ups) + work.levels * (Sizes::barrier + rounds * Sizes::inner_step * work.needed);
}

/// Nanoseconds in which a tile is made.
double time_of(const Index& extents, const TileCut& cut, const SlabWork& work) {
  const Index counts = counts_of(extents, cut.shape);
  const std::vector<double> levels = levels_of(counts);
  const bool is_early = slabs_wait(product(counts), static_cast<i64>(levels.size()));
  double times[Sizes::resident + 1];
  for (int blocks = 1; blocks <= Sizes::resident; ++blocks) times[blocks] = slab_time(work, blocks, is_early);
  double time = Sizes::launch;
  for (const double count : levels) {
    const int blocks = std::clamp(static_cast<int>(std::ceil(count / Sizes::processors)), 1, Sizes::resident);
    time += std::ceil(count / (Sizes::processors * blocks)) * times[blocks];
  }
  return time;
}

}  // namespace

bool is_inner(const StepComponents& step, const TileCut& cut) {
  if (step.leaves_tile || cut.first == cut.shape.size()) return false;
  for (std::size_t d = 0; d < cut.shape.size(); ++d) {
    if (d < cut.first ? step.components[d] != 0 : step.components[d] >= cut.shape[d]) return false;
  }
  return true;
}

bool slabs_wait(i64 slabs, i64 levels) {
  return slabs < levels * Sizes::early_waves * Sizes::processors * Sizes::resident;
}

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

TileCut choose_cut(const Index& extents, const std::vector<StepComponents>& steps, bool rows_are_single,
                   i64 cell_bytes) {
  const i64 most_cells = Sizes::slab_bytes / cell_bytes;
  TileCut best;
  const std::size_t lowest = rows_are_single && extents.size() > 1 ? 1 : 0;
  TileCut cut{Index(extents.size(), 1), extents.size(), 0};
  i64 after = 1;  // cells of one index of the dimension
  while (cut.first-- > lowest && after <= most_cells) {
    const i64 extent = extents[cut.first];
    for (i64 parts = quotient_up(extent, std::max<i64>(1, most_cells / after));; parts *= 2) {
      cut.shape[cut.first] = quotient_up(extent, parts);
      const SlabWork work = work_of(extents, cut, steps);
      cut.nanoseconds = work.inner > Sizes::most_inner ? 1e300 : time_of(extents, cut, work);
      if (best.shape.empty() || cut.nanoseconds < best.nanoseconds) best = cut;
      if (parts >= extent || cut.shape[cut.first] * after <= small_cells) break;
    }
    cut.shape[cut.first] = extent;
    after *= extent;
  }
  return best;
}

}  // namespace terrace::dp_table
