// The arguments of all CUDA sweeps, and their checks.
#pragma once

#include <algorithm>
#include <string>

#include "kernels/device/cuda_context.hpp"
#include "kernels/launch/launch.cuh"
#include "kernels/wavefront/cuda/bands/bands.cuh"
#include "kernels/wavefront/cuda/sweep.hpp"
#include "kernels/wavefront/description.hpp"
#include "kernels/wavefront/measured.hpp"
#include "kernels/wavefront/rules/block_grid.hpp"
#include "kernels/wavefront/visit.hpp"

namespace terrace::wavefront {

static_assert(sizeof(device::LaunchWords) == launch_words_bytes && sizeof(BlockSlot) == block_slot_bytes);
static_assert(static_cast<int>(Stored::u8) == static_cast<int>(ElementType::u8) &&
              static_cast<int>(Stored::f64) == static_cast<int>(ElementType::f64));

inline Stored stored(ElementType type) { return static_cast<Stored>(type); }

/// The arguments that all kernels of sweeps share, without the launch. @param check whether sums must fit the values'
/// type
inline SweepArguments sweep_arguments(const SweepSpec& spec, const CudaWorkspace& plan, unsigned char* workspace,
                                      bool check) {
  const BlockGrid grid = grid_of(spec);
  SweepArguments arguments{};
  arguments.slots = reinterpret_cast<BlockSlot*>(workspace + plan.slots_at);
  arguments.column_flags = reinterpret_cast<u32*>(workspace + plan.flags_at);
  arguments.borders = reinterpret_cast<u64*>(workspace + plan.borders_at);
  arguments.border_words = plan.border_words;
  arguments.rows = spec.rows;
  arguments.columns = spec.columns;
  arguments.across = static_cast<u64>(grid.across());
  arguments.strips = grid.strips;
  arguments.down = static_cast<u64>(grid.down());
  arguments.block_rows = grid.block_rows;
  arguments.bands = static_cast<u32>(plan.bands);
  arguments.band_rows = static_cast<i32>(plan.band_rows);
  const auto pieces = [](i64 side, i64 cell) { return cell > 0 ? (side + cell - 1) / cell : 1; };
  arguments.border_bands = static_cast<u32>(spec.cell_rows / plan.band_rows);
  arguments.border_columns = static_cast<i32>(spec.cell_columns);
  arguments.border_pieces_across = pieces(grid.block_columns, spec.cell_columns);
  arguments.border_pieces_down = pieces(grid.block_rows, spec.cell_rows);
  arguments.border = stored(spec.border);
  arguments.table = stored(spec.kept ? spec.kept->type : spec.table.value_or(spec.value));
  arguments.every = spec.kept ? spec.kept->every : 0;
  arguments.lines = spec.bit_lines.value_or(BitLines{});
  arguments.grid = stored(spec.grid);
  arguments.value = stored(spec.value);
  arguments.check = check;
  arguments.prunes = spec.schedule.work == Schedule::Work::needed && !spec.table;
  if (grid.count() == 1 && !grid.strips) arguments.diagonals = spec.band;
  arguments.scale = static_cast<double>(description_of(spec)->scale);
  if (const Matrix* matrix = matrix_of(spec.settings)) arguments.matrix = *matrix;
  return arguments;
}

/// @throws DeviceError if the port is not one of wavefronts, or has too many blocks
inline void check_port(const device::Port& port, u32 bands, const char* kernel, bool lines = false) {
  if (port.descriptor_bytes < (lines ? sizeof(KeptTask) : sizeof(BlockTask)) ||
      port.descriptor_bytes % sizeof(u64) != 0 || port.result_bytes < sizeof(BlockResult) ||
      port.result_bytes % sizeof(u64) != 0) {
    throw DeviceError(kernel, "the port's descriptors or results are not those of a wavefront");
  }
  if (port.count > 0xFFFFFFFEu / bands) {
    throw DeviceError(kernel, std::to_string(port.count) + " blocks are too many for one launch");
  }
}

inline std::int64_t resident_warps(const device::Limits& limits) {
  return static_cast<std::int64_t>(limits.processors) * measured::CudaLaunches::warps_of_processor;
}

[[noreturn]] inline void refuse_type(const SweepSpec& spec) {
  throw DeviceError("wavefront sweep of " + spec.problem + " on CUDA",
                    "cells of type " + std::string(name_of(spec.value)) + " are not computed here");
}

}  // namespace terrace::wavefront
