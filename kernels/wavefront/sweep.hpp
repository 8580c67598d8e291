// Sweeping a two-dimensional wavefront table block by block: its specification, and the kernels that do it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kernels/device/context.hpp"
#include "kernels/launch/block_kernel.hpp"
#include "kernels/wavefront/rules/bit_lines.hpp"
#include "kernels/wavefront/rules/diagonals.hpp"
#include "kernels/wavefront/rules/kept.hpp"
#include "kernels/wavefront/schedule.hpp"
#include "kernels/wavefront/task.hpp"
#include "pipeline/base/element_type.hpp"
#include "pipeline/base/settings.hpp"

namespace terrace::wavefront {

struct Description;
class BandLimits;

/// All that fixes the meaning and the bits of a sweep; the table is cut into a grid of blocks, numbered row-major
/// (but see by_strips).
struct SweepSpec {
  std::string problem;    // a name of problems()
  Settings settings;      // the problem's parameters, checked
  std::int64_t rows = 0;  // of the table, not counting the recurrence's border
  std::int64_t columns = 0;
  std::int64_t block_rows = 0;       // of a block; the last row of blocks may be lower
  std::int64_t block_columns = 0;    // of a block; the last column of blocks may be narrower
  ElementType value;                 // type that cells are computed in
  ElementType border;                // type of border values: at least as wide as `value`
  std::optional<ElementType> table;  // type of the stored table; nullopt if no table is kept
  std::optional<KeptLines> kept;     // rows and columns that are kept (letters and values, no table)
  /// Blocks are grids of cells, counted from their first row and column, which divide them, except the table's last
  /// blocks: BlockTask::bottom has the borders below each row of cells, one after another, ::right the borders right
  /// of each column of cells, none after the table's last row or column. Each has a piece for every cell, with all
  /// planes; a piece of a column border follows its corner; ::top and ::left of such blocks, too. 0: blocks are no
  /// grids in that direction. On CUDA alone, of letters and values without a table, and multiples of `border_cell`.
  std::int64_t cell_rows = 0;
  std::int64_t cell_columns = 0;
  /// Problems with a bit-parallel form, their scores: lines of every block that are kept in differences. Descriptors
  /// are KeptTask. On CUDA rows are a multiple of `bit_line_rows`, or all of the table's.
  std::optional<BitLines> bit_lines = {};
  ElementType grid = ElementType::u8;  // type of the grid's values (problems on grids)
  std::int64_t layers = 1;             // tables, one over another (see BlockGrid)
  Schedule schedule;
  /// A score that some cell of the table reaches (Report::best), or 0: if the schedule leaves out unneeded cells, it
  /// begins with cells that cannot reach this score (greedy_score.hpp).
  std::int64_t known = 0;
  /// For scores of problems with a bit-parallel form: cells outside need not be computed, and the last cell then
  /// reports the best inside the band. On CUDA all cells of tables of several blocks are computed.
  DiagonalBand band = {};
  /// On the CPU, of sweeps that keep nothing: the part of the band that is computed (seed_limits.hpp); null: all.
  std::shared_ptr<const BandLimits> limits = {};
  /// Blocks are numbered strip by strip: those of the first column of blocks from top to bottom, then those of the
  /// second. A launch may have the blocks of some strips alone, and of its first strip the last ones alone. On CUDA
  /// alone, by bands (methods bits, pairs and cells).
  bool by_strips = false;
  /// The problem's description; null: that of the list's problem which `problem` and `settings` mean
  /// (description.hpp).
  std::shared_ptr<const Description> description = {};
};

/// SweepSpec::cell_rows and cell_columns are multiples of it.
inline constexpr std::int64_t border_cell = 1024;
/// The number of rows between lines in differences is a multiple of it on CUDA.
inline constexpr std::int64_t bit_line_rows = 1024;

/// Additional bytes of host memory that a CPU sweep on `threads` threads allocates, at most.
std::size_t cpu_workspace_bytes(const SweepSpec& spec, int threads);

/// A kernel that sweeps the blocks of one table. Descriptors are BlockTask, or KeptTask if rows and columns or
/// lines in differences are kept; results are BlockResult. The kernel itself orders the blocks of one launch (block n
/// needs the borders of n - 1 and of the block above); everything else is the feeder's business (see Port).
std::unique_ptr<device::BlockKernel> make_cpu_sweep(const SweepSpec& spec, device::Context& context);

}  // namespace terrace::wavefront
