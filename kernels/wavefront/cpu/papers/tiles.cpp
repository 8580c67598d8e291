#include "kernels/wavefront/cpu/papers/tiles.hpp"

#include <atomic>
#include <limits>
#include <memory>

#include "kernels/wavefront/cpu/papers/waves.hpp"
#include "kernels/wavefront/cpu/sweep.hpp"
#include "kernels/wavefront/measured.hpp"
#include "kernels/wavefront/tile_sizes.hpp"
#include "kernels/wavefront/visit.hpp"

namespace terrace::wavefront {
namespace {

constexpr std::int64_t most_height = measured::CpuTiles::most_height;

TileShape shape_for(const CpuSweepPlan& plan) {
  TileLimits limits;
  limits.processors = plan.threads;
  limits.most_height = most_height;
  const TileCosts costs{measured::CpuTiles::cell_seconds * most_height, measured::CpuTiles::synchronisation_seconds};
  return tile_shape(plan.spec.schedule, plan.grid.block_rows, plan.grid.block_columns, limits, costs);
}

/// Rows of tiles as bands: each is swept from left to right by one thread, which the thread of the row below follows.
template <class P, class V>
class TileSweeper : public BandSweeper {
 public:
  TileSweeper(const TilePlan<P>& plan, const BlockGrid& grid, int slots) : shape_(plan.shape) {
    for (int i = 0; i < slots; ++i) {
      blocks_.push_back(std::make_unique<TileBlock<P, V>>(plan, grid.block_rows, grid.block_columns));
    }
  }

  std::int64_t bands(std::int64_t rows) const override { return shape_.down(rows); }
  void open(int slot, const BlockTask& task) override { block(slot).open(task); }

  bool sweep(Band& band) override {
    TileBlock<P, V>& tiles = block(band.slot());
    const i64 columns = tiles.columns(), last = shape_.across(columns) - 1;
    const i64 lag = shape_.skew * (shape_.height - 1);
    if (!band.wait_left()) return false;
    for (i64 t = 0; t <= last; ++t) {
      if (!band.wait_above(std::min(columns, (t + 1) * shape_.width))) return false;
      if (!tiles.sweep(band.index(), t)) {
        band.fail();
        return false;
      }
      const i64 below = (t + 1) * shape_.width - lag;
      if (t < last && below > 0) band.publish(std::min(below, columns - 1));
    }
    band.publish(columns);
    return true;
  }

  BlockResult finish(int slot, const BlockTask&) override { return block(slot).result(); }

 private:
  TileBlock<P, V>& block(int slot) { return *blocks_[static_cast<std::size_t>(slot)]; }

  TileShape shape_;
  std::vector<std::unique_ptr<TileBlock<P, V>>> blocks_;
};

/// One block's tiles at a time, as the launch of waves wants them.
template <class P, class V>
class WaveSweeper : public TileWaveSweeper {
 public:
  WaveSweeper(const TilePlan<P>& plan, const BlockGrid& grid)
      : shape_(plan.shape), block_(plan, grid.block_rows, grid.block_columns) {}

  void open(const BlockTask& task) override { block_.open(task); }
  bool sweep(i64 row, i64 tile) override {
    if (row >= shape_.down(block_.rows()) || tile >= shape_.across(block_.columns())) return true;
    return block_.sweep(row, tile);
  }
  BlockResult finish() override { return block_.result(); }

 private:
  TileShape shape_;
  TileBlock<P, V> block_;
};

template <class P, class V>
CpuTileSweep make(const CpuSweepPlan& plan) {
  const SweepSpec& spec = plan.spec;
  const auto constants = problem_constants<P>(spec.settings);
  bool checks = false;
  if constexpr (P::items == Items::grid) checks = !is_floating(spec.value) && constants.wrap == 0;
  const TilePlan<P> tiles{constants,  shape_for(plan),
                          spec.rows,  spec.columns,
                          spec.value, spec.border,
                          spec.grid,  spec.table,
                          checks,     static_cast<double>(score_scale(P::name, spec.settings))};
  CpuTileSweep made;
  if (spec.schedule.synchronisation == Schedule::Synchronisation::barrier) {
    const TileShape& shape = tiles.shape;
    made.waves = {shape.down(plan.grid.block_rows), shape.across(plan.grid.block_columns), 1 + shape.ahead()};
    made.in_waves = std::make_unique<WaveSweeper<P, V>>(tiles, plan.grid);
  } else {
    const int slots = slots_for(plan.threads, tiles.shape.down(plan.grid.block_rows), plan.grid.count());
    made.in_bands = {std::make_unique<TileSweeper<P, V>>(tiles, plan.grid, slots), slots};
  }
  return made;
}

/// Values are computed in floating point, grids in integers as well.
template <class P>
CpuTileSweep make_for_numbers(const CpuSweepPlan& plan) {
  if (plan.spec.value == ElementType::f32) return make<P, float>(plan);
  if (plan.spec.value == ElementType::f64) return make<P, double>(plan);
  if constexpr (P::items == Items::grid) return make<P, i64>(plan);
  throw DeviceError("make_cpu_sweep",
                    "cells are computed in f32 or f64, not in " + std::string(name_of(plan.spec.value)));
}

}  // namespace

CpuTileSweep make_tile_sweep(const CpuSweepPlan& plan) {
  CpuTileSweep made;
  visit_problem(plan.spec.problem, plan.spec.settings, [&](auto problem) {
    using P = decltype(problem);
    if constexpr (P::items == Items::grid) check_sum_types(plan.spec);
    else check_item_types(plan.spec);
    if constexpr (P::items == Items::letters) made = make<P, i64>(plan);
    else if constexpr (sweeps_in_tiles<P>) made = make_for_numbers<P>(plan);
  });
  return made;
}

std::size_t tile_workspace_bytes(const SweepSpec& spec, int threads) {
  const std::int64_t rows = std::clamp<std::int64_t>(spec.rows, 1, spec.block_rows);
  const std::int64_t columns = std::clamp<std::int64_t>(spec.columns, 1, spec.block_columns);
  constexpr std::int64_t row_bytes = 3 * 8, column_bytes = 2 * 8, band_bytes = 128, least_height = 32;
  const std::int64_t slots = slots_for(threads, std::max<std::int64_t>(1, rows / most_height), most_blocks_of(spec));
  const std::int64_t bands = rows / least_height + 1;
  return static_cast<std::size_t>(slots * (rows * row_bytes + columns * column_bytes + bands * band_bytes + 4096));
}

}  // namespace terrace::wavefront
