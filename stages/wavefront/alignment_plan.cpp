#include "stages/wavefront/alignment_plan.hpp"

#include <algorithm>

#include "kernels/wavefront/sweep.hpp"

namespace terrace::stages {
namespace {

constexpr std::int64_t page = 4096;
constexpr std::int64_t most_kept = 64;               // borders of the table, each way
constexpr std::int64_t least_side = 64;              // of any cell
constexpr std::int64_t most_level_bytes = 64 << 20;  // of the borders inside one box, where it may be cut again
constexpr std::int64_t most_code_bytes = 512 << 20;  // of a walk on a GPU

std::int64_t pages(std::int64_t bytes) { return (bytes + page - 1) / page * page; }
std::int64_t ceiling(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The borders that are kept inside a box. Planes of every level have one length.
std::int64_t inner_bytes(const TableNeed& need, const AlignmentLevel& level, const AlignmentLevel& first) {
  const std::int64_t row_plane = std::max(level.columns, first.cell_columns);
  const std::int64_t column_plane = std::max(level.column_length(), first.block_rows + 1);
  return pages(level.kept_rows() * row_plane * need.border_bytes) +
         pages(level.kept_columns() * column_plane * need.border_bytes);
}

/// A block of the sweep over the table: its letters, the borders that it reads and those that it writes.
std::int64_t first_bytes(const TableNeed& need, const AlignmentLevel& level) {
  const std::int64_t kept = level.block_rows / level.cell_rows;
  const std::int64_t row_border = level.kept_rows() > 0 ? pages(kept * level.cell_columns * need.border_bytes) : 0;
  const std::int64_t column_border = level.kept_columns() > 0 ? pages((level.block_rows + 1) * need.border_bytes) : 0;
  const std::int64_t items = pages(level.block_rows * need.item_bytes) + pages(level.cell_columns * need.item_bytes);
  return items + 2 * (row_border + column_border);
}

/// The cells of a box: as small as the last level's, or as many as the bytes of their borders allow.
AlignmentLevel divide(const TableNeed& need, const AlignmentPlan& plan, const AlignmentLimits& limits,
                      std::int64_t most_bytes) {
  const std::int64_t rows = plan.levels.back().cell_rows, columns = plan.levels.back().cell_columns;
  AlignmentLevel level{rows, columns, std::min(rows, limits.cell_rows), std::min(columns, limits.cell_columns), 1};
  level.block_rows = level.cell_rows;
  while (inner_bytes(need, level, plan.levels.front()) > most_bytes &&
         (level.cell_rows < rows || level.cell_columns < columns)) {
    level.cell_rows = std::min(rows, 2 * level.cell_rows);
    level.cell_columns = std::min(columns, 2 * level.cell_columns);
    level.block_rows = level.cell_rows;
  }
  return level;
}

/// Levels below `first`; nothing where their borders do not fit into `most_bytes`.
AlignmentPlan plan_of(const TableNeed& need, const AlignmentLevel& first, const AlignmentLimits& limits,
                      std::int64_t most_bytes) {
  AlignmentPlan plan;
  plan.levels.push_back(first);
  for (;;) {
    const AlignmentLevel level = divide(need, plan, limits, most_bytes);
    const bool last = level.cell_rows <= limits.cell_rows && level.cell_columns <= limits.cell_columns;
    if (!last && level.kept_rows() + level.kept_columns() == 0) return {};
    plan.levels.push_back(level);
    if (last) return plan;
  }
}

/// The next height of cells at which blocks may hold several rows of them; small ones stay as they are.
std::int64_t whole_bands(std::int64_t cell_rows, const AlignmentLimits& limits) {
  if (limits.border_rows == 0 || cell_rows < limits.border_rows) return cell_rows;
  return ceiling(cell_rows, limits.border_rows) * limits.border_rows;
}

}  // namespace

AlignmentLimits alignment_limits(const Resources& resources, bool inside) {
  if (!resources.cuda) return {256, 512, 4096, 8192, 0};
  // A box is as fast as its chain of steps, however large it is: few boxes are best, if the codes of one fit.
  const std::int64_t codes = std::min<std::int64_t>(most_code_bytes, resources.device_budget / 8);
  std::int64_t side = least_side;
  while (side < 1 << 20 && side * side * 2 <= codes) side *= 2;  // half a byte a cell
  return {side, side, 16384, 16384, inside ? wavefront::border_rows : 0};
}

std::int64_t block_bytes(const TableNeed& need, const AlignmentPlan& plan) {
  // A box reads letters, two borders of the first level or of the boxes that it is in, and those inside it.
  std::int64_t bytes = first_bytes(need, plan.levels.front());
  for (std::size_t i = 1; i < plan.levels.size(); ++i)
    bytes += inner_bytes(need, plan.levels[i], plan.levels.front());
  return bytes;
}

WayBack way_back(const AlignmentPlan& plan) {
  const AlignmentLevel& table = plan.levels.front();
  // Of the boxes of a level those that the path crosses, each up to where it leaves: half of the rows of boxes and of
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
  for (std::size_t i = 1; i < plan.levels.size(); ++i) {
    const AlignmentLevel &level = plan.levels[i], &above = plan.levels[i - 1];
    if (level.kept_rows() + level.kept_columns() == 0) continue;
    back.swept += crossed(above);
    const double block = static_cast<double>(level.block_rows) * static_cast<double>(level.cell_columns);
    back.blocks += boxes(above) + static_cast<std::int64_t>(crossed(above) / block);
  }
  back.walked = crossed(plan.levels.back());
  back.blocks += boxes(plan.levels[plan.levels.size() - 2]);
  return back;
}

AlignmentPlan plan_alignment(const TableNeed& need, const Resources& resources, bool inside,
                             const std::function<std::int64_t(const AlignmentPlan&)>& workspace) {
  const auto device = static_cast<std::int64_t>(resources.device_budget);
  const std::int64_t host = static_cast<std::int64_t>(resources.host_budget) * (resources.cuda ? 2 : 1);
  AlignmentLimits limits = alignment_limits(resources, inside);
  const std::int64_t rows = std::max<std::int64_t>(1, need.rows), columns = std::max<std::int64_t>(1, need.columns);
  TableNeed table = need;
  table.rows = rows;
  table.columns = columns;
  const std::int64_t most_bytes = std::min(most_level_bytes, std::min(device, host) / 4);
  const auto whole = [&](std::int64_t cell) { return cell < rows ? whole_bands(cell, limits) : cell; };
  const std::int64_t most_rows = whole(std::min(rows, std::max(limits.table_rows, ceiling(rows, most_kept))));
  const std::int64_t most_columns = std::min(columns, std::max(limits.table_columns, ceiling(columns, most_kept)));
  std::int64_t cell_rows = most_rows, cell_columns = most_columns;
  const auto need_of = [&](const AlignmentPlan& plan) {
    return blocks_in_flight * first_bytes(table, plan.levels.front()) + block_bytes(table, plan) + page;
  };
  for (;;) {
    AlignmentLevel first{rows, columns, cell_rows, cell_columns, cell_rows};
    const bool inside_blocks = limits.border_rows > 0 && cell_rows % limits.border_rows == 0;
    for (std::int64_t cells = inside_blocks ? ceiling(rows, cell_rows) : 1;; cells = ceiling(cells, 2)) {
      first.block_rows = std::min(rows, cells * cell_rows);
      const AlignmentPlan plan = plan_of(table, first, limits, most_bytes);
      if (!plan.levels.empty() && need_of(plan) <= std::min(device - workspace(plan), host)) return plan;
      if (cells == 1) break;
    }
    if (cell_rows <= least_side && cell_columns <= least_side) {
      if (!resources.cuda || limits.cell_rows <= least_side) {
        const AlignmentPlan least = plan_of(table, first, limits, most_level_bytes);
        refuse_budgets(resources, need_of(least), workspace(least));
      }
      // Again with fewer codes.
      limits.cell_rows = limits.cell_columns = limits.cell_rows / 2;
      cell_rows = most_rows;
      cell_columns = most_columns;
    } else if (cell_rows >= cell_columns) cell_rows = whole(std::max(least_side, ceiling(cell_rows, 2)));
    else cell_columns = std::max(least_side, ceiling(cell_columns, 2));
  }
}

}  // namespace terrace::stages
