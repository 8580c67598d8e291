// Lines of alignments kept in differences: cuts that fit every budget.
#include "stages/wavefront/alignment/bit_cut.hpp"

#include <catch2/catch.hpp>

#include "kernels/wavefront/rules/bit_lines.hpp"
#include "kernels/wavefront/sweep.hpp"
#include "kernels/wavefront/tracer.hpp"

namespace terrace::stages {
namespace {

TableNeed need_of(std::int64_t rows, std::int64_t columns) {
  TableNeed need;
  need.rows = rows;
  need.columns = columns;
  need.border_bytes = 4;
  return need;
}

Resources resources_of(std::int64_t device, std::int64_t host) {
  Resources resources;
  resources.device_budget = static_cast<std::size_t>(device);
  resources.host_budget = static_cast<std::size_t>(host);
  return resources;
}

std::int64_t walk_bytes(const BitAlignmentCut& cut) {
  wavefront::TraceSpec spec;
  spec.cell_rows = cut.cell_rows;
  spec.cell_columns = cut.cell_columns;
  return static_cast<std::int64_t>(wavefront::cpu_bit_trace_bytes(spec));
}

/// Memory that the kernels of a GPU need at most: the codes of a cell, and the rows between bands.
std::int64_t cuda_bytes(const BitAlignmentCut& cut) {
  return cut.cell_rows * cut.cell_columns / 2 + cut.block_columns / 2 + (1 << 16);
}

/// Bytes of all lines that the table keeps.
double kept_bytes(const TableNeed& need, const BitAlignmentCut& cut) {
  const auto rows = static_cast<double>(need.rows), columns = static_cast<double>(need.columns);
  return rows * columns / 4 * (1 / static_cast<double>(cut.cell_rows) + 1 / static_cast<double>(cut.cell_columns));
}

TEST_CASE("cuts fit every budget, and cut blocks into cells of whole words") {
  for (const auto& [rows, columns] : {std::pair{1, 1}, std::pair{63, 100000}, std::pair{3000, 2900},
                                      std::pair{1000000, 999951}, std::pair{4600000, 4700000}}) {
    const TableNeed need = need_of(rows, columns);
    for (const std::int64_t budget : {100 << 10, 333333, 1 << 20, 5000001, 64 << 20, 1 << 30}) {
      const BitAlignmentCut cut = choose_bit_cut(need, resources_of(budget, std::int64_t{4} << 30), walk_bytes);
      INFO(rows << " x " << columns << " in " << budget);
      CHECK(block_bytes(need, cut) + walk_bytes(cut) <= budget);
      CHECK(cut.cell_rows % wavefront::word_cells == 0);
      CHECK(cut.cell_columns % wavefront::word_cells == 0);
      CHECK(cut.block_rows % cut.cell_rows == 0);
      CHECK(cut.block_columns % cut.cell_columns == 0);
      const BitAlignmentCut other = choose_bit_cut(need, resources_of(1 << 30, budget), walk_bytes);
      CHECK(block_bytes(need, other) + walk_bytes(other) <= budget);
    }
  }
}

TEST_CASE("lines of long sequences take no more than 64 borders of 32 bits each way would") {
  for (const std::int64_t length : {1000000, 4600000, 9000000}) {
    const TableNeed need = need_of(length, length);
    const BitAlignmentCut cut =
        choose_bit_cut(need, resources_of(std::int64_t{4} << 30, std::int64_t{4} << 30), walk_bytes);
    CHECK(kept_bytes(need, cut) <= 2 * 64 * 4.0 * static_cast<double>(length));
  }
}

TEST_CASE("a budget too small for any cut is refused, and what it names is enough") {
  const TableNeed need = need_of(500, 500);
  CHECK_THROWS_AS(choose_bit_cut(need, resources_of(4 << 10, 1 << 20), walk_bytes), JobError);
  const BitAlignmentCut least{wavefront::word_cells, wavefront::word_cells, wavefront::word_cells,
                              wavefront::word_cells};
  const std::int64_t enough = block_bytes(need, least) + walk_bytes(least) + 4096;
  CHECK_NOTHROW(choose_bit_cut(need, resources_of(enough, 1 << 20), walk_bytes));
}

TEST_CASE("on a GPU rows are kept where bands end, and the table is one block where it fits") {
  for (const auto& [rows, columns] :
       {std::pair{1, 1}, std::pair{3000, 2900}, std::pair{70, 1000000}, std::pair{4600000, 4700000}}) {
    const TableNeed need = need_of(rows, columns);
    for (const std::int64_t budget : {std::int64_t{8} << 20, std::int64_t{50} << 20, std::int64_t{4} << 30}) {
      Resources resources = resources_of(budget, budget);
      resources.cuda = true;
      const BitAlignmentCut cut = choose_bit_cut(need, resources, cuda_bytes);
      INFO(rows << " x " << columns << " in " << budget);
      CHECK(block_bytes(need, cut) + cuda_bytes(cut) <= budget);
      CHECK((cut.cell_rows % wavefront::bit_line_rows == 0 || cut.cell_rows >= rows));
      CHECK(cut.cell_columns % wavefront::word_cells == 0);
      CHECK(cut.block_rows % cut.cell_rows == 0);
      CHECK(cut.block_columns % cut.cell_columns == 0);
      if (budget > std::int64_t{1} << 31) {
        CHECK(cut.block_rows >= rows);
        CHECK(cut.block_columns >= columns);
      }
    }
  }
}

}  // namespace
}  // namespace terrace::stages
