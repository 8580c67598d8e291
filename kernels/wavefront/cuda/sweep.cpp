#include "kernels/wavefront/cuda/sweep.hpp"

#include <algorithm>
#include <limits>

#include "kernels/device/memory.hpp"
#include "kernels/wavefront/description.hpp"
#include "kernels/wavefront/measured.hpp"
#include "kernels/wavefront/rules/block_grid.hpp"
#include "kernels/wavefront/tile_sizes.hpp"
#include "kernels/wavefront/tracer.hpp"
#include "kernels/wavefront/visit.hpp"

namespace terrace::wavefront {
namespace {

using Sizes = measured::CudaLaunches;

/// The number of blocks in a row that bands work on at a time. While the last of a block's bands are yet to begin,
/// the first ones are many narrow blocks further: each band is `columns_behind` columns behind the one above it.
std::int64_t slots_of_narrow_blocks(const BlockGrid& grid, std::int64_t bands, std::int64_t warps) {
  const std::int64_t slots = std::min(bands, warps) * Sizes::columns_behind / grid.block_columns + 3;
  return std::min<std::int64_t>({slots, grid.across() + 1, Sizes::most_narrow_slots});
}

/// Cells that blocks are grids of divide them.
void check_cells(const SweepSpec& spec) {
  const auto divides = [](std::int64_t cell, std::int64_t block, std::int64_t table) {
    return cell >= 0 && cell % border_cell == 0 && (cell == 0 || block % cell == 0 || block >= table);
  };
  const bool kept = spec.cell_rows > 0 || spec.cell_columns > 0;
  if (divides(spec.cell_rows, spec.block_rows, spec.rows) &&
      divides(spec.cell_columns, spec.block_columns, spec.columns) &&
      !(kept && (spec.table || spec.kept || in_tiles(spec)))) {
    return;
  }
  throw DeviceError("make_cuda_sweep", "borders of cells of " + std::to_string(spec.cell_rows) + " x " +
                                           std::to_string(spec.cell_columns) + " cannot be kept in blocks of " +
                                           std::to_string(spec.block_rows) + " x " +
                                           std::to_string(spec.block_columns));
}

/// Lines in differences are kept of problems with a bit-parallel form, rows where bands end.
void check_bit_lines(const SweepSpec& spec) {
  const BitLines& lines = *spec.bit_lines;
  const bool ends = lines.rows % bit_line_rows == 0 || lines.rows >= spec.rows;
  if (ends && lines.rows > 0 && lines.columns > 0 && lines.columns % word_cells == 0 && !spec.table && !spec.kept &&
      spec.cell_rows == 0 && spec.cell_columns == 0 && !in_tiles(spec) && description_of(spec)->bits) {
    return;
  }
  throw DeviceError("make_cuda_sweep", "lines of " + spec.problem + " after " + std::to_string(lines.rows) +
                                           " rows and " + std::to_string(lines.columns) +
                                           " columns cannot be kept in differences by schedule " +
                                           name_of(spec.schedule));
}

/// Lines are kept of letters and values, by the kernel that computes cells in registers.
void check_kept(const SweepSpec& spec) {
  const ElementType kept = spec.kept->type;
  const bool divides = is_floating(kept) && !is_floating(spec.value);
  const bool holds = divides || (is_floating(kept) == is_floating(spec.value) && is_signed(kept) &&
                                 size_of(kept) >= size_of(spec.value));
  if (holds && !spec.table && !in_tiles(spec) && description_of(spec)->items != Items::grid) return;
  throw DeviceError("make_cuda_sweep", "rows and columns of type " + std::string(name_of(kept)) +
                                           " of cells of type " + std::string(name_of(spec.value)) +
                                           " cannot be kept by schedule " + name_of(spec.schedule));
}

}  // namespace

BlockGrid grid_of(const SweepSpec& spec) {
  if (spec.rows < 0 || spec.columns < 0 || spec.block_rows < 1 || spec.block_columns < 1) {
    throw DeviceError("wavefront sweep on CUDA",
                      "a table of " + std::to_string(spec.rows) + " x " + std::to_string(spec.columns) +
                          " cells cannot be cut into blocks of " + std::to_string(spec.block_rows) + " x " +
                          std::to_string(spec.block_columns));
  }
  const std::int64_t rows = std::clamp<std::int64_t>(spec.rows, 1, spec.block_rows);
  const std::int64_t columns = std::clamp<std::int64_t>(spec.columns, 1, spec.block_columns);
  // Bands know of one strip at a time.
  return {spec.rows, spec.by_strips ? columns : spec.columns, rows, columns, spec.layers, spec.by_strips};
}

CudaWorkspace plan_workspace(const BlockGrid& grid, std::int64_t band_rows, std::int64_t row_words,
                             std::int64_t warps) {
  if (grid.block_columns > std::numeric_limits<std::int32_t>::max() - 1024) {
    throw DeviceError("wavefront sweep on CUDA", "blocks of " + std::to_string(grid.block_columns) +
                                                     " columns are too wide; use narrower blocks");
  }
  CudaWorkspace plan;
  plan.band_rows = band_rows;
  plan.bands = std::max<std::int64_t>(1, (grid.block_rows + band_rows - 1) / band_rows);
  // Slots beyond those that fill the device let the next blocks begin before the last have ended.
  plan.slots = std::clamp<std::int64_t>(2 * warps / plan.bands + 2, 2, Sizes::most_slots);
  plan.slots = std::max(plan.slots, slots_of_narrow_blocks(grid, plan.bands, warps));
  plan.border_words = (row_words + 3) / 4 * 4;  // rows begin at multiples of 32 bytes
  const std::int64_t rows = grid.strips ? 2 : grid.across() == 1 ? 1 : plan.slots;
  plan.slots_at = device::aligned_bytes(launch_words_bytes);
  plan.flags_at = plan.slots_at + device::aligned_bytes(static_cast<std::size_t>(plan.slots) * block_slot_bytes);
  plan.borders_at = plan.flags_at +
                    device::aligned_bytes(static_cast<std::size_t>(plan.slots * plan.bands) * sizeof(std::uint32_t));
  plan.bytes = plan.borders_at +
               device::aligned_bytes(static_cast<std::size_t>(rows * plan.border_words) * sizeof(std::uint64_t));
  return plan;
}

CudaWorkspace plan_strips(const BlockGrid& grid, std::int64_t batch, std::int64_t value_words,
                          std::int64_t at_a_time) {
  using Strips = measured::CudaStrips;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 4096;
  if (grid.block_columns > most || grid.block_rows > most) {
    throw DeviceError("wavefront sweep on CUDA", "blocks of " + std::to_string(grid.block_rows) + " x " +
                                                     std::to_string(grid.block_columns) +
                                                     " cells are too large; use smaller blocks");
  }
  CudaWorkspace plan;
  plan.band_rows = batch;
  plan.bands = std::max<std::int64_t>(1, (grid.block_columns + Strips::columns - 1) / Strips::columns);
  plan.slots = Sizes::strip_slots;
  if (grid.layers > 1 && Strips::layers_overlap) {
    // One more than fill the device lets a block begin before the last strips of the one before it have ended.
    const std::int64_t filling = (at_a_time + plan.bands - 1) / plan.bands + 1;
    plan.slots = plan.rooms =
        std::clamp<std::int64_t>(std::min(filling, grid.count()), plan.slots, Sizes::most_slots);
  }
  plan.border_words = (grid.block_rows + batch - 1) / batch * batch * value_words;
  plan.slots_at = device::aligned_bytes(launch_words_bytes);
  plan.flags_at = plan.borders_at =
      plan.slots_at + device::aligned_bytes(static_cast<std::size_t>(plan.slots) * block_slot_bytes);
  const std::int64_t handed = plan.bands - 1 + (plan.bands - 1) / Strips::group;
  plan.room_words = handed * plan.border_words;
  plan.bytes = plan.borders_at +
               device::aligned_bytes(static_cast<std::size_t>(plan.rooms * plan.room_words) * sizeof(std::uint64_t));
  return plan;
}

std::size_t cuda_workspace_bytes(SweepWay way, const SweepSpec& spec, const device::Limits& limits,
                                 const CudaTrial& trial) {
  std::size_t bytes = 0;
  visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    bytes = way == SweepWay::tiles ? CudaTileSweeps<P>::workspace_bytes(spec, limits, trial)
                                   : CudaSweeps<P>::workspace_bytes(way, spec, limits, trial);
  });
  return bytes;
}

std::unique_ptr<device::BlockKernel> make_cuda_sweep(SweepWay way, const SweepSpec& spec, device::Context& context,
                                                     void* workspace, const CudaTrial& trial) {
  if (spec.kept) check_kept(spec);
  if (spec.bit_lines) check_bit_lines(spec);
  check_cells(spec);
  std::unique_ptr<device::BlockKernel> sweep;
  visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    sweep = way == SweepWay::tiles ? CudaTileSweeps<P>::make(spec, context, workspace, trial)
                                   : CudaSweeps<P>::make(way, spec, context, workspace, trial);
  });
  return sweep;
}

std::size_t cuda_workspace_bytes(const SweepSpec& spec, const device::Limits& limits, const CudaTrial& trial) {
  return cuda_workspace_bytes(way_of(spec, limits, trial), spec, limits, trial);
}

std::unique_ptr<device::BlockKernel> make_cuda_sweep(const SweepSpec& spec, device::Context& context, void* workspace,
                                                     const CudaTrial& trial) {
  return make_cuda_sweep(way_of(spec, context.limits(), trial), spec, context, workspace, trial);
}

}  // namespace terrace::wavefront
