// Shared parts of sweeps on the CPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "kernels/device/cpu_features.hpp"
#include "kernels/wavefront/costs.hpp"
#include "kernels/wavefront/cpu/band.hpp"
#include "kernels/wavefront/cpu/letters/local.hpp"
#include "kernels/wavefront/cpu/papers/waves.hpp"
#include "kernels/wavefront/cpu/tickets.hpp"
#include "kernels/wavefront/rules/block_grid.hpp"
#include "kernels/wavefront/sweep.hpp"

namespace terrace::wavefront {

/// The plan from which a sweeper is made.
struct CpuSweepPlan {
  const SweepSpec& spec;
  BlockGrid grid;
  int threads;
  device::InstructionSet instruction_set;
  CellForm form;
};

/// A sweeper and the number of its slots.
struct CpuSweeper {
  std::unique_ptr<BandSweeper> sweeper;
  int slots;
};

/// The largest number of bands of a block of the grid; `bands(rows)` counts the bands of a block.
template <class Count>
std::int64_t most_bands(const BlockGrid& grid, Count&& bands) {
  return std::max<std::int64_t>(bands(grid.block_rows), bands(grid.rows_of(grid.down() - 1)));
}

/// The kernels of a problem (its number in problem_list.hpp) for an instruction set.
BandKernels kernels_for(device::InstructionSet set, int problem);
LocalTypes local_types_for(device::InstructionSet set, int problem);

/// Problems on letters and values. @throws DeviceError if types do not fit together
CpuSweeper make_items_sweeper(const CpuSweepPlan& plan);
/// Scores of problems with a bit-parallel form; no sweeper if the problem has none, or a table is kept.
CpuSweeper make_bits_sweeper(const CpuSweepPlan& plan);
/// Summed-area tables and integral histograms. @throws DeviceError if types do not fit together
CpuSweeper make_sums_sweeper(const CpuSweepPlan& plan);

/// Checks that the types of a sweep of letters or values, or of sums, fit together. @throws DeviceError if not
void check_item_types(const SweepSpec& spec);
void check_sum_types(const SweepSpec& spec);

/// A named schedule of kernel tiles: rows of tiles as bands, or their anti-diagonals as waves.
struct CpuTileSweep {
  CpuSweeper in_bands{nullptr, 0};
  std::unique_ptr<TileWaveSweeper> in_waves;  // null: in bands
  TileWaves waves{};
};

/// Any problem in the kernel tiles of plan.spec.schedule. @throws DeviceError if types do not fit together
CpuTileSweep make_tile_sweep(const CpuSweepPlan& plan);
/// The most blocks of a sweep that are under way at a time, as far as its table says: all of them. Sweeps that keep
/// rows and columns have grids of their own.
std::int64_t most_blocks_of(const SweepSpec& spec);
/// cpu_workspace_bytes() of a sweep in kernel tiles.
std::size_t tile_workspace_bytes(const SweepSpec& spec, int threads);

/// make_cpu_sweep() of a sweep that keeps rows and columns: blocks one after another, each in parts between those
/// that are kept in it. @throws DeviceError if types do not fit together
std::unique_ptr<device::BlockKernel> make_cpu_kept_sweep(const SweepSpec& spec, device::Context& context,
                                                         device::InstructionSet set);

/// make_cpu_sweep() over the blocks of a part of the table, which has the extents of `spec`; keeps no rows or
/// columns.
std::unique_ptr<device::BlockKernel> make_cpu_sweep(const SweepSpec& spec, const BlockGrid& grid,
                                                    device::Context& context, device::InstructionSet set,
                                                    CellForm form);

/// make_cpu_sweep() in a chosen form, which the sweep must have.
std::unique_ptr<device::BlockKernel> make_cpu_sweep(const SweepSpec& spec, device::Context& context, CellForm form);

/// make_cpu_sweep() with a chosen instruction set, which the CPU must have.
std::unique_ptr<device::BlockKernel> make_cpu_sweep(const SweepSpec& spec, device::Context& context,
                                                    device::InstructionSet set);

}  // namespace terrace::wavefront
