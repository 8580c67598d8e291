#include "stages/wavefront/bit_alignment_plan.hpp"

#include <algorithm>

#include "kernels/wavefront/tracer.hpp"

namespace terrace::stages {
namespace {

using wavefront::word_cells;

constexpr std::int64_t page = 4096;
constexpr std::int64_t least_cell = 2048;                          // where memory allows: its ways fill a cache
constexpr std::int64_t most_lines = 1024;                          // each way
constexpr std::int64_t most_planes = 2;                            // of differences
constexpr std::int64_t block_rows = 65536, block_columns = 16384;  // of many cells: less is lost at their edges
constexpr std::int64_t most_steps = wavefront::most_path_steps;

std::int64_t ceiling(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
std::int64_t pages(std::int64_t bytes) { return ceiling(bytes, page) * page; }
std::int64_t whole_words(std::int64_t cells) {
  return std::max<std::int64_t>(1, ceiling(cells, word_cells)) * word_cells;
}

std::int64_t walk_bytes(const BitAlignmentPlan& plan) {
  wavefront::TraceSpec spec;
  spec.cell_rows = plan.cell_rows;
  spec.cell_columns = plan.cell_columns;
  return static_cast<std::int64_t>(wavefront::cpu_bit_trace_bytes(spec));
}

/// Cells of at most that side, in blocks of so many.
BitAlignmentPlan plan_of(const TableNeed& need, std::int64_t side, std::int64_t down, std::int64_t across) {
  BitAlignmentPlan plan;
  plan.cell_rows = std::min(side, whole_words(need.rows));
  plan.cell_columns = std::min(side, whole_words(need.columns));
  plan.block_rows = plan.cell_rows * std::min(down, std::max<std::int64_t>(1, ceiling(need.rows, plan.cell_rows)));
  plan.block_columns =
      plan.cell_columns * std::min(across, std::max<std::int64_t>(1, ceiling(need.columns, plan.cell_columns)));
  return plan;
}

}  // namespace

std::int64_t BitAlignmentPlan::row_words() const { return block_columns / word_cells; }
std::int64_t BitAlignmentPlan::column_words() const { return block_rows / word_cells; }

std::int64_t block_bytes(const TableNeed& need, const BitAlignmentPlan& plan) {
  const std::int64_t word = most_planes * static_cast<std::int64_t>(sizeof(std::uint64_t));
  const std::int64_t kept =
      pages(plan.row_lines() * plan.row_words() * word) + pages(plan.column_lines() * plan.column_words() * word);
  const std::int64_t blocks =
      std::max<std::int64_t>(1, ceiling(need.rows, plan.block_rows) * ceiling(need.columns, plan.block_columns));
  // A walk reads what a block and the two before it have kept.
  const std::int64_t swept = block_bytes(need, BlockShape{plan.block_rows, plan.block_columns});
  return swept + std::min(blocks, blocks_in_flight) * kept + walk_bytes(plan);
}

WayBack way_back(const TableNeed& need, const BitAlignmentPlan& plan) {
  const auto rows = static_cast<double>(need.rows), columns = static_cast<double>(need.columns);
  WayBack back;
  back.walked = (rows * static_cast<double>(plan.cell_columns) + columns * static_cast<double>(plan.cell_rows)) / 2;
  back.blocks = ceiling(need.rows, plan.block_rows) + ceiling(need.columns, plan.block_columns) - 1 +
                std::max(need.rows, need.columns) / most_steps;
  return back;
}

BitAlignmentPlan plan_bit_alignment(const TableNeed& need, const Resources& resources) {
  const auto budget = static_cast<std::int64_t>(std::min(resources.device_budget, resources.host_budget));
  const auto fits = [&](const BitAlignmentPlan& plan) { return block_bytes(need, plan) + page <= budget; };
  std::int64_t side = std::max(least_cell, whole_words(ceiling(std::max(need.rows, need.columns), most_lines)));
  while (side > word_cells && walk_bytes(plan_of(need, side, 1, 1)) > budget / 4) side = whole_words(side / 2);
  for (;;) {
    std::int64_t down = std::max<std::int64_t>(1, block_rows / side);
    std::int64_t across = std::max<std::int64_t>(1, block_columns / side);
    for (;;) {
      const BitAlignmentPlan plan = plan_of(need, side, down, across);
      if (fits(plan)) return plan;
      if (down == 1 && across == 1) break;
      std::int64_t& longer = down >= across ? down : across;
      longer /= 2;
    }
    if (side == word_cells) refuse_budgets(resources, block_bytes(need, plan_of(need, side, 1, 1)) + page, 0);
    side = whole_words(side / 2);
  }
}

}  // namespace terrace::stages
