#include "stages/wavefront/alignment/bit_cut.hpp"

#include <algorithm>

#include "kernels/wavefront/tracer.hpp"
#include "pipeline/base/rounding.hpp"
#include "stages/block_memory.hpp"
#include "stages/wavefront/measured.hpp"

namespace terrace::stages {
namespace {

using wavefront::word_cells;

constexpr std::int64_t most_lines = measured::BitCutSizes::most_lines;  // each way
constexpr std::int64_t most_planes = 2;                                 // of differences
constexpr std::int64_t most_steps = wavefront::most_path_steps;

/// The sizes of cells and blocks on a back end, where memory allows.
struct CellSizes {
  std::int64_t row_unit;  // rows of a cell are multiples of it, if a table has more
  std::int64_t cell;      // side of a cell, at least
  std::int64_t block_rows, block_columns;
};
constexpr CellSizes cpu_sizes{word_cells, measured::BitCutSizes::cpu_cell, measured::BitCutSizes::cpu_block_rows,
                              measured::BitCutSizes::cpu_block_columns};
/// The whole table is one block: only then are bands of diagonals cut.
constexpr CellSizes cuda_sizes{wavefront::bit_line_rows, measured::BitCutSizes::cuda_cell, std::int64_t{1} << 30,
                               std::int64_t{1} << 30};

std::int64_t whole(std::int64_t cells, std::int64_t unit) {
  return std::max<std::int64_t>(1, ceiling(cells, unit)) * unit;
}

/// Cells of about that side, each of them a block.
BitAlignmentCut cells_of(const TableNeed& need, const CellSizes& sizes, std::int64_t side) {
  BitAlignmentCut cut;
  cut.cell_rows = cut.block_rows = std::min(whole(side, sizes.row_unit), whole(need.rows, word_cells));
  cut.cell_columns = cut.block_columns = std::min(side, whole(need.columns, word_cells));
  return cut;
}

/// Cells across a block of at most `most` rows or columns, in cells of `cell` of them, for a table of `table`.
std::int64_t cells_of_block(std::int64_t most, std::int64_t cell, std::int64_t table) {
  return std::clamp<std::int64_t>(most / cell, 1, std::max<std::int64_t>(1, ceiling(table, cell)));
}

}  // namespace

std::int64_t cells_of_walk(std::int64_t cell_columns) {
  using Sizes = measured::BitCutSizes;
  return cell_columns < Sizes::walked_together_columns ? 1 : Sizes::cells_of_walk;
}

std::int64_t BitAlignmentCut::row_words() const { return block_columns / word_cells; }
std::int64_t BitAlignmentCut::column_words() const { return block_rows / word_cells; }

std::int64_t block_bytes(const TableNeed& need, const BitAlignmentCut& cut) {
  const std::int64_t word = most_planes * static_cast<std::int64_t>(sizeof(std::uint64_t));
  const std::int64_t kept = whole_pages(cut.row_lines() * cut.row_words() * word) +
                            whole_pages(cut.column_lines() * cut.column_words() * word);
  const std::int64_t blocks =
      std::max<std::int64_t>(1, ceiling(need.rows, cut.block_rows) * ceiling(need.columns, cut.block_columns));
  // A walk reads the lines of a block and of the two blocks before it.
  return block_bytes(need, BlockShape{cut.block_rows, cut.block_columns}) + std::min(blocks, blocks_in_flight) * kept;
}

WayBack way_back(const TableNeed& need, const BitAlignmentCut& cut, bool cuda) {
  const auto rows = static_cast<double>(need.rows), columns = static_cast<double>(need.columns);
  // Each way: a path leaves them in turn.
  const std::int64_t cells = std::max<std::int64_t>(1, cells_of_walk(cut.cell_columns) / 2);
  const std::int64_t along_rows = cuda ? cells * cut.cell_rows : cut.block_rows;
  const std::int64_t along_columns = cuda ? cells * cut.cell_columns : cut.block_columns;
  WayBack back;
  back.walked = (rows * static_cast<double>(cut.cell_columns) + columns * static_cast<double>(cut.cell_rows)) / 2;
  back.blocks = ceiling(need.rows, along_rows) + ceiling(need.columns, along_columns) - 1 +
                std::max(need.rows, need.columns) / most_steps;
  return back;
}

BitAlignmentCut choose_bit_cut(const TableNeed& need, const Resources& resources,
                               const std::function<std::int64_t(const BitAlignmentCut&)>& workspace) {
  const CellSizes sizes = resources.cuda ? cuda_sizes : cpu_sizes;
  const auto device = static_cast<std::int64_t>(resources.device_budget);
  const auto host = static_cast<std::int64_t>(resources.host_budget);
  const auto fits = [&](const BitAlignmentCut& cut) {
    const std::int64_t beside = workspace(cut), blocks = block_bytes(need, cut) + page_bytes;
    // On a device of its own tiles pass through host memory; on the CPU all is host memory.
    return blocks + beside <= device && (resources.cuda ? blocks <= host : blocks + beside <= host);
  };
  const std::int64_t budget = std::min(device, host);
  std::int64_t side =
      std::max(sizes.cell, whole(ceiling(std::max(need.rows, need.columns), most_lines), 2 * sizes.row_unit));
  const auto halve = [&] { side = whole(side / 2, word_cells); };
  while (side > word_cells && workspace(cells_of(need, sizes, side)) > budget / 4) halve();
  for (;; halve()) {
    const BitAlignmentCut cells = cells_of(need, sizes, side);
    std::int64_t down = cells_of_block(sizes.block_rows, cells.cell_rows, need.rows);
    std::int64_t across = cells_of_block(sizes.block_columns, cells.cell_columns, need.columns);
    for (;;) {
      BitAlignmentCut cut = cells;
      cut.block_rows *= down;
      cut.block_columns *= across;
      if (fits(cut)) return cut;
      if (down == 1 && across == 1) break;
      std::int64_t& longer = down >= across ? down : across;
      longer = ceiling(longer, 2);
    }
    if (side == word_cells) {
      const std::int64_t least = block_bytes(need, cells) + page_bytes;
      refuse_budgets(resources, least, workspace(cells), least);
    }
  }
}

}  // namespace terrace::stages
