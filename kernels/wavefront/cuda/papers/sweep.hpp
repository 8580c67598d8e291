// Sweeps in kernel tiles on CUDA: the sizes of tiles, and where things lie in the workspace.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/wavefront/cuda/sweep.hpp"
#include "kernels/wavefront/measured.hpp"
#include "kernels/wavefront/rules/block_grid.hpp"
#include "kernels/wavefront/tile_sizes.hpp"

namespace terrace::wavefront {

/// Sizes from which the workspace of a sweep in tiles is planned.
struct CudaTileNeed {
  std::size_t value_bytes = 4;  // of a cell
  int row_planes = 1;
};

/// Layout of the workspace of a sweep in tiles, in bytes from its start. A launch clears all before `rows`.
struct CudaTilePlan {
  TileShape shape{};
  bool measures = false;    // the width is chosen when the sweep is made; `shape` has the narrowest
  std::int64_t bands = 0;   // rows of tiles of a block of full height
  std::int64_t across = 0;  // tiles of a row over a block of full width
  std::int64_t slots = 0;
  std::int64_t ring = 0;
  std::int64_t row_stride = 0;
  std::size_t row_bytes = 0, state_bytes = 0;
  std::size_t slots_at = 0, column_flags_at = 0, finished_at = 0, progress_at = 0, rows_at = 0, states_at = 0,
              trial_at = 0;
  std::size_t bytes = 0;
};

/// The small part that the width of flexible tiles is measured on: columns of two rows of tiles.
inline constexpr std::int64_t measured_columns = measured::CudaTiles::trial_columns;
/// Bytes of a measurement's row of a grid or a table, and of its items.
inline constexpr std::size_t measured_row_bytes = measured_columns * 8;
/// Bytes of its words, descriptor and result.
inline constexpr std::size_t measured_port_bytes = 1024;

/// @throws DeviceError if blocks are too wide, or the schedule has no such kernel
CudaTilePlan plan_tiles(const SweepSpec& spec, const device::Limits& limits, const CudaTileNeed& need,
                        const CudaTrial& trial);

}  // namespace terrace::wavefront
