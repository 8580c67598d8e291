#include "stages/wavefront/bit_alignment_plan.hpp"

#include <catch2/catch.hpp>

#include "kernels/wavefront/bit_lines.hpp"

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

/// Bytes of all lines that the table keeps.
double kept_bytes(const TableNeed& need, const BitAlignmentPlan& plan) {
  const auto rows = static_cast<double>(need.rows), columns = static_cast<double>(need.columns);
  return rows * columns / 4 * (1 / static_cast<double>(plan.cell_rows) + 1 / static_cast<double>(plan.cell_columns));
}

TEST_CASE("plans fit every budget, and cut blocks into cells of whole words") {
  for (const auto& [rows, columns] : {std::pair{1, 1}, std::pair{63, 100000}, std::pair{3000, 2900},
                                      std::pair{1000000, 999951}, std::pair{4600000, 4700000}}) {
    const TableNeed need = need_of(rows, columns);
    for (const std::int64_t budget : {100 << 10, 333333, 1 << 20, 5000001, 64 << 20, 1 << 30}) {
      const BitAlignmentPlan plan = plan_bit_alignment(need, resources_of(budget, std::int64_t{4} << 30));
      INFO(rows << " x " << columns << " in " << budget);
      CHECK(block_bytes(need, plan) <= budget);
      CHECK(plan.cell_rows % wavefront::word_cells == 0);
      CHECK(plan.cell_columns % wavefront::word_cells == 0);
      CHECK(plan.block_rows % plan.cell_rows == 0);
      CHECK(plan.block_columns % plan.cell_columns == 0);
      CHECK(block_bytes(need, plan_bit_alignment(need, resources_of(1 << 30, budget))) <= budget);
    }
  }
}

TEST_CASE("lines of long sequences take no more than 64 borders of 32 bits each way would") {
  for (const std::int64_t length : {1000000, 4600000, 9000000}) {
    const TableNeed need = need_of(length, length);
    const BitAlignmentPlan plan =
        plan_bit_alignment(need, resources_of(std::int64_t{4} << 30, std::int64_t{4} << 30));
    CHECK(kept_bytes(need, plan) <= 2 * 64 * 4.0 * static_cast<double>(length));
  }
}

TEST_CASE("a budget too small for any plan is refused, and what it names is enough") {
  const TableNeed need = need_of(500, 500);
  CHECK_THROWS_AS(plan_bit_alignment(need, resources_of(4 << 10, 1 << 20)), JobError);
  const BitAlignmentPlan least{wavefront::word_cells, wavefront::word_cells, wavefront::word_cells,
                               wavefront::word_cells};
  CHECK_NOTHROW(plan_bit_alignment(need, resources_of(block_bytes(need, least) + 4096, 1 << 20)));
}

}  // namespace
}  // namespace terrace::stages
