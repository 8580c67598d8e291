// Kept borders of alignments, level by level, at every budget.
#include "stages/wavefront/alignment/levels.hpp"

#include <catch2/catch.hpp>

#include "kernels/wavefront/sweep.hpp"

namespace terrace::stages {
namespace {

TableNeed need_of(std::int64_t rows, std::int64_t columns) {
  TableNeed need;
  need.rows = rows;
  need.columns = columns;
  need.border_bytes = 8;  // two planes of 32 bits
  return need;
}

Resources resources_of(bool cuda, std::size_t device, std::size_t host) {
  Resources resources;
  resources.cuda = cuda;
  resources.device_budget = device;
  resources.host_budget = host;
  return resources;
}

AlignmentLevels levels_of(const TableNeed& need, const Resources& resources) {
  return choose_levels(need, resources, true, [](const AlignmentLevels&) { return std::int64_t{1} << 16; });
}

TEST_CASE(
    "with memory for all borders the table of an alignment is one block on CUDA, and every cell one on the CPU") {
  const TableNeed need = need_of(1072950, 1042519);
  const AlignmentLevel wide = levels_of(need, resources_of(true, std::size_t{100} << 30, std::size_t{100} << 30))[0];
  CHECK(wide.block_rows == need.rows);
  CHECK(wide.block_columns == need.columns);
  CHECK(wide.cell_rows % wavefront::border_cell == 0);
  CHECK(wide.cell_columns % wavefront::border_cell == 0);
  CHECK(wide.kept_rows() <= 64);
  CHECK(wide.kept_columns() <= 64);
  const AlignmentLevel cells = levels_of(need, resources_of(false, std::size_t{4} << 30, std::size_t{4} << 30))[0];
  CHECK(cells.block_rows == cells.cell_rows);
  CHECK(cells.block_columns == cells.cell_columns);
}

TEST_CASE("with less memory blocks of an alignment are lower, then narrower, and always fit") {
  const TableNeed need = need_of(1072950, 1042519);
  const auto shape = [&](std::int64_t budget) {
    const auto bytes = static_cast<std::size_t>(budget);
    const AlignmentLevels levels = levels_of(need, resources_of(true, bytes, bytes));
    CHECK(block_bytes(need, levels) <= budget);
    return levels[0];
  };
  const AlignmentLevel lower = shape(std::int64_t{3} << 30), narrower = shape(std::int64_t{96} << 20);
  CHECK(lower.block_columns == need.columns);
  CHECK(lower.block_rows < need.rows);
  CHECK(lower.block_rows % lower.cell_rows == 0);
  CHECK(narrower.block_rows == narrower.cell_rows);
  CHECK(narrower.block_columns < need.columns);
  CHECK(narrower.block_columns % narrower.cell_columns == 0);
}

TEST_CASE("blocks of cells too small for borders inside them are single cells") {
  const AlignmentLevels levels = levels_of(need_of(5000, 3000), resources_of(true, 400 << 10, 64 << 20));
  const AlignmentLevel& first = levels[0];
  CHECK((first.block_rows == first.cell_rows || first.cell_rows % wavefront::border_cell == 0));
  CHECK((first.block_columns == first.cell_columns || first.cell_columns % wavefront::border_cell == 0));
}

}  // namespace
}  // namespace terrace::stages
