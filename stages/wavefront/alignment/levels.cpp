#include "stages/wavefront/alignment/levels.hpp"

#include <algorithm>

#include "kernels/wavefront/sweep.hpp"
#include "pipeline/base/rounding.hpp"
#include "stages/block_memory.hpp"
#include "stages/wavefront/measured.hpp"

namespace terrace::stages {
namespace {

using measured::LevelSizes;
constexpr std::int64_t most_kept = LevelSizes::most_kept, least_side = LevelSizes::least_side,
                       most_level_bytes = LevelSizes::most_level_bytes;

/// The borders that are kept inside a box.
std::int64_t inner_bytes(const TableNeed& need, const AlignmentLevel& level, const BorderPieces& pieces) {
  return whole_pages(level.kept_rows() * pieces.row * need.border_bytes) +
         whole_pages(level.kept_columns() * pieces.column * need.border_bytes);
}

/// A block of the sweep over the table: its letters, the borders that it reads and the borders that it writes.
std::int64_t first_bytes(const TableNeed& need, const AlignmentLevels& levels) {
  const AlignmentLevel& level = levels.front();
  const BorderPieces pieces = border_pieces(levels);
  const std::int64_t cells =
      ceiling(level.block_rows, level.cell_rows) * ceiling(level.block_columns, level.cell_columns);
  const std::int64_t row_borders = level.kept_rows() > 0 ? whole_pages(cells * pieces.row * need.border_bytes) : 0;
  const std::int64_t column_borders =
      level.kept_columns() > 0 ? whole_pages(cells * pieces.column * need.border_bytes) : 0;
  const std::int64_t items =
      whole_pages(level.block_rows * need.item_bytes) + whole_pages(level.block_columns * need.item_bytes);
  return items + 2 * (row_borders + column_borders);
}

/// Bytes of the blocks of the sweep over the table that are in flight at a time.
std::int64_t sweep_bytes(const TableNeed& need, const AlignmentLevels& levels) {
  const AlignmentLevel& level = levels.front();
  const std::int64_t blocks = ceiling(level.rows, level.block_rows) * ceiling(level.columns, level.block_columns);
  return std::min(blocks, blocks_in_flight) * first_bytes(need, levels);
}

/// The cells of a box: as small as the last level's, or as many as the bytes of their borders allow.
AlignmentLevel divide(const TableNeed& need, const AlignmentLevels& levels, const AlignmentLimits& limits,
                      std::int64_t most_bytes) {
  const std::int64_t rows = levels.back().cell_rows, columns = levels.back().cell_columns;
  AlignmentLevel level{rows, columns, std::min(rows, limits.cell_rows), std::min(columns, limits.cell_columns)};
  const auto bytes = [&] {
    AlignmentLevels longer = levels;
    longer.push_back(level);
    return inner_bytes(need, level, border_pieces(longer));
  };
  while (bytes() > most_bytes && (level.cell_rows < rows || level.cell_columns < columns)) {
    level.cell_rows = std::min(rows, 2 * level.cell_rows);
    level.cell_columns = std::min(columns, 2 * level.cell_columns);
  }
  level.block_rows = limits.whole_boxes ? rows : level.cell_rows;
  level.block_columns = limits.whole_boxes ? columns : level.cell_columns;
  return level;
}

/// Levels below `first`; empty if their borders do not fit into `most_bytes`.
AlignmentLevels levels_below(const TableNeed& need, const AlignmentLevel& first, const AlignmentLimits& limits,
                             std::int64_t most_bytes) {
  AlignmentLevels levels;
  levels.push_back(first);
  for (;;) {
    const AlignmentLevel level = divide(need, levels, limits, most_bytes);
    const bool last = level.cell_rows <= limits.cell_rows && level.cell_columns <= limits.cell_columns;
    if (!last && level.kept_rows() + level.kept_columns() == 0) return {};
    levels.push_back(level);
    if (last) return levels;
  }
}

/// The next side of cells at which blocks may be grids of them; small ones stay as they are.
std::int64_t whole_cells(std::int64_t side, const AlignmentLimits& limits) {
  if (limits.border_cell == 0 || side < limits.border_cell) return side;
  return ceiling(side, limits.border_cell) * limits.border_cell;
}

/// Calls tries(level) with blocks of as many cells as possible, then of fewer, until it returns true. @return true if
/// it did. Rows first: bands of a block continue in the next one below.
template <class Tries>
bool try_blocks(AlignmentLevel level, const AlignmentLimits& limits, Tries&& tries) {
  const auto most = [&](std::int64_t cell, std::int64_t side) {
    return limits.border_cell > 0 && cell % limits.border_cell == 0 ? ceiling(side, cell) : 1;
  };
  for (std::int64_t across = most(level.cell_columns, level.columns);; across = ceiling(across, 2)) {
    for (std::int64_t down = most(level.cell_rows, level.rows);; down = ceiling(down, 2)) {
      level.block_rows = std::min(level.rows, down * level.cell_rows);
      level.block_columns = std::min(level.columns, across * level.cell_columns);
      if (tries(level)) return true;
      if (down == 1) break;
    }
    if (across == 1) return false;
  }
}

}  // namespace

AlignmentLimits alignment_limits(const Resources& resources, bool inside) {
  if (!resources.cuda) {
    return {LevelSizes::cpu_cell_rows,
            LevelSizes::cpu_cell_columns,
            LevelSizes::cpu_table_rows,
            LevelSizes::cpu_table_columns,
            0,
            true};
  }
  const std::int64_t codes = std::min<std::int64_t>(LevelSizes::most_code_bytes, resources.device_budget / 8);
  std::int64_t side = least_side;
  while (side < 1 << 20 && side * side * 2 <= codes) side *= 2;  // half a byte a cell
  return {side, side, LevelSizes::cuda_table_side, LevelSizes::cuda_table_side, inside ? wavefront::border_cell : 0};
}

BorderPieces border_pieces(const AlignmentLevels& levels) {
  const AlignmentLevel& table = levels.front();
  BorderPieces pieces{table.cell_columns, table.cell_rows + 1};
  for (std::size_t i = 1; i < levels.size(); ++i) {
    pieces.column = std::max(pieces.column, levels[i].column_length());
  }
  return pieces;
}

std::int64_t block_bytes(const TableNeed& need, const AlignmentLevels& levels) {
  // A box reads letters, two borders of the first level or of the boxes that it is in, and those inside it.
  std::int64_t bytes = first_bytes(need, levels);
  for (std::size_t i = 1; i < levels.size(); ++i) bytes += inner_bytes(need, levels[i], border_pieces(levels));
  return bytes;
}

std::int64_t strips_bytes(const TableNeed& need, const AlignmentLevels& levels) {
  const AlignmentLevel& level = levels.front();
  const std::int64_t down = ceiling(level.rows, level.block_rows);
  return block_bytes(need, levels) + (measured::StripSizes::in_flight + 2 * down) * first_bytes(need, levels);
}

bool blocks_are_grids(const AlignmentLevels& levels) {
  const AlignmentLevel& level = levels.front();
  const auto may = [](std::int64_t cell, std::int64_t block) {
    return block <= cell || cell % wavefront::border_cell == 0;
  };
  return may(level.cell_rows, level.block_rows) && may(level.cell_columns, level.block_columns);
}

WayBack way_back(const AlignmentLevels& levels) {
  const AlignmentLevel& table = levels.front();
  // The boxes of a level that the path crosses, each up to where the path leaves it: half of the rows of boxes and of
  // the columns of boxes that they are in.
  const auto crossed = [&](const AlignmentLevel& level) {
    return (static_cast<double>(table.rows) * static_cast<double>(level.cell_columns) +
            static_cast<double>(table.columns) * static_cast<double>(level.cell_rows)) /
           2;
  };
  const auto boxes = [&](const AlignmentLevel& level) {
    return ceiling(table.rows, level.cell_rows) + ceiling(table.columns, level.cell_columns) - 1;
  };
  WayBack back;
  for (std::size_t i = 1; i < levels.size(); ++i) {
    const AlignmentLevel &level = levels[i], &above = levels[i - 1];
    if (level.kept_rows() + level.kept_columns() == 0) continue;
    back.swept += crossed(above);
    back.blocks += boxes(above);
    if (level.whole_box()) continue;
    const double block = static_cast<double>(level.block_rows) * static_cast<double>(level.block_columns);
    back.blocks += static_cast<std::int64_t>(crossed(above) / block);
  }
  back.walked = crossed(levels.back());
  back.blocks += boxes(levels[levels.size() - 2]);
  return back;
}

AlignmentLevels choose_levels(const TableNeed& need, const Resources& resources, bool inside,
                              const std::function<std::int64_t(const AlignmentLevels&)>& workspace) {
  const auto device = static_cast<std::int64_t>(resources.device_budget);
  const auto host = static_cast<std::int64_t>(resources.host_budget);
  AlignmentLimits limits = alignment_limits(resources, inside);
  const std::int64_t rows = std::max<std::int64_t>(1, need.rows), columns = std::max<std::int64_t>(1, need.columns);
  TableNeed table = need;
  table.rows = rows;
  table.columns = columns;
  const std::int64_t most_bytes = std::min(most_level_bytes, std::min(device, host) / 4);
  const auto rows_from = [&](std::int64_t cell) { return cell < rows ? whole_cells(cell, limits) : cell; };
  const auto columns_from = [&](std::int64_t cell) { return cell < columns ? whole_cells(cell, limits) : cell; };
  const std::int64_t most_rows = rows_from(std::min(rows, std::max(limits.table_rows, ceiling(rows, most_kept))));
  const std::int64_t most_columns =
      columns_from(std::min(columns, std::max(limits.table_columns, ceiling(columns, most_kept))));
  std::int64_t cell_rows = most_rows, cell_columns = most_columns;
  const auto need_of = [&](const AlignmentLevels& levels) {
    return sweep_bytes(table, levels) + block_bytes(table, levels) + page_bytes;
  };
  for (;;) {
    AlignmentLevels levels;
    const auto fits = [&](const AlignmentLevel& first) {
      levels = levels_below(table, first, limits, most_bytes);
      return !levels.empty() && need_of(levels) <= std::min(device - workspace(levels), host);
    };
    const AlignmentLevel first{rows, columns, cell_rows, cell_columns, cell_rows, cell_columns};
    if (try_blocks(first, limits, fits)) return levels;
    if (cell_rows <= least_side && cell_columns <= least_side) {
      if (!resources.cuda || limits.cell_rows <= least_side) {
        const AlignmentLevels least = levels_below(table, first, limits, most_level_bytes);
        refuse_budgets(resources, need_of(least), workspace(least), need_of(least));
      }
      // Again with fewer codes.
      limits.cell_rows = limits.cell_columns = limits.cell_rows / 2;
      cell_rows = most_rows;
      cell_columns = most_columns;
    } else if (cell_rows >= cell_columns) cell_rows = rows_from(std::max(least_side, ceiling(cell_rows, 2)));
    else cell_columns = columns_from(std::max(least_side, ceiling(cell_columns, 2)));
  }
}

}  // namespace terrace::stages
