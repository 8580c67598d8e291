#include "kernels/wavefront/cuda/papers/sweep.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "kernels/device/memory.hpp"
#include "kernels/wavefront/measured.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::wavefront {
namespace {

void check(const SweepSpec& spec, const BlockGrid& grid) {
  if (grid.block_columns > std::numeric_limits<std::int32_t>::max() - 8192) {
    throw DeviceError("wavefront sweep on CUDA", "blocks of " + std::to_string(grid.block_columns) +
                                                     " columns are too wide; use narrower blocks");
  }
  const Schedule& schedule = spec.schedule;
  if (schedule.storage == Schedule::Storage::shared &&
      (schedule.shape != Schedule::Shape::hyperplane ||
       schedule.synchronisation == Schedule::Synchronisation::barrier)) {
    throw DeviceError("wavefront sweep on CUDA", "there is no kernel for the schedule " + name_of(schedule));
  }
}

}  // namespace

CudaTilePlan plan_tiles(const SweepSpec& spec, const device::Limits& limits, const CudaTileNeed& need,
                        const CudaTrial& trial) {
  const BlockGrid grid = grid_of(spec);
  check(spec, grid);
  const bool waves = spec.schedule.synchronisation == Schedule::Synchronisation::barrier;
  const bool counters = spec.schedule.synchronisation == Schedule::Synchronisation::counter;
  const bool cached = spec.schedule.storage == Schedule::Storage::cache;
  CudaTilePlan plan;
  TileLimits tile_limits;
  tile_limits.processors = limits.processors;
  tile_limits.cell_bytes = need.value_bytes;
  // With no cost of synchronisation the model takes the narrowest tile.
  plan.shape = tile_shape(spec.schedule, grid.block_rows, grid.block_columns, tile_limits, {1, 0});
  if (trial.tile_height > 0) plan.shape.height = trial.tile_height;
  if (trial.tile_width > 0) plan.shape.width = trial.tile_width;
  plan.bands = plan.shape.down(grid.block_rows);
  const bool modelled = cached && spec.schedule.sizes == Schedule::Sizes::modelled;
  plan.measures = modelled && trial.tile_width == 0 && plan.bands > 1;
  const std::int64_t columns = std::max(grid.block_columns, plan.measures ? measured_columns : 1);
  plan.across = plan.shape.across(columns);
  plan.slots =
      waves ? 2
            : std::clamp<std::int64_t>(2 * limits.processors / plan.bands + 2, 2, measured::CudaTiles::most_slots);
  plan.ring = std::min<std::int64_t>(plan.bands, std::max(2, limits.processors));
  plan.row_stride = (columns + 3) / 4 * 4;
  plan.row_bytes =
      device::aligned_bytes(static_cast<std::size_t>(plan.row_stride * need.row_planes) * need.value_bytes);
  const std::int64_t state_values = (cached ? 2 * need.row_planes : 0) + (waves ? 5 : 0);
  plan.state_bytes =
      device::aligned_bytes(static_cast<std::size_t>(plan.shape.height) *
                            (static_cast<std::size_t>(state_values) * need.value_bytes + (waves ? 4 : 0)));
  const std::int64_t words = waves ? 0 : plan.slots * (counters ? plan.bands : plan.ring * plan.across);
  plan.slots_at = device::aligned_bytes(launch_words_bytes);
  plan.column_flags_at =
      plan.slots_at + device::aligned_bytes(static_cast<std::size_t>(plan.slots) * block_slot_bytes);
  plan.finished_at = plan.column_flags_at +
                     device::aligned_bytes(static_cast<std::size_t>(plan.slots * plan.bands) * sizeof(std::uint32_t));
  plan.progress_at = plan.finished_at + device::aligned_bytes(sizeof(std::uint64_t));
  plan.rows_at = plan.progress_at + device::aligned_bytes(static_cast<std::size_t>(words) * sizeof(std::uint64_t));
  plan.states_at = plan.rows_at + static_cast<std::size_t>(plan.slots) * plan.row_bytes;
  plan.trial_at = plan.states_at + static_cast<std::size_t>(plan.slots * plan.bands) * plan.state_bytes;
  plan.bytes = plan.trial_at + (plan.measures ? measured_port_bytes + 2 * measured_row_bytes : 0);
  return plan;
}

}  // namespace terrace::wavefront
