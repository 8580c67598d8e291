// Shared parts of the tests of CUDA sweeps.
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "kernels/device/context.hpp"
#include "kernels/wavefront/reference/reference.hpp"
#include "kernels/wavefront/report.hpp"
#include "tests/support/cuda_device.hpp"
#include "tests/support/cuda_table.hpp"

namespace terrace::wavefront::test {

using terrace::test::cuda_context;
using terrace::test::few_cases;

/// True if the next case, of `cells` cells, is tried. A GPU tries all cases; the simulated GPU, which takes far
/// longer, tries as many as average 5000 cells a case, or TERRACE_SIMULATED_CELLS: the small ones, and a large one
/// now and then.
inline bool is_tried(const device::Context& context, std::int64_t cells) {
  if (!few_cases(context)) return true;
  const char* setting = std::getenv("TERRACE_SIMULATED_CELLS");
  static std::int64_t saved = 0;
  saved += setting ? std::atoll(setting) : 5000;
  if (cells > saved) return false;
  saved -= cells;
  return true;
}

/// Conditions of launch number `turn`: as it comes, one thread block, or random delays.
inline CudaTrial trial_of(unsigned turn) {
  CudaTrial trial;
  if (turn % 3 == 1) trial.thread_blocks = 1;
  if (turn % 5 == 3) trial.delay_seed = turn + 1;
  constexpr int lane_rows[] = {8, 32, 4, 64};
  trial.lane_rows = lane_rows[turn / 2 % 4];
  trial.cells = turn / 2 % 2 == 0;
  trial.pairs = turn % 7 == 1 || turn % 7 == 3 || turn % 7 == 4;
  return trial;
}

/// Compares the combined results of a table's blocks with the reference's score and end.
template <class P>
void check_report(const std::vector<BlockResult>& results, const Settings& settings,
                  const ReferenceTable<i64>& expected) {
  BlockResult total = border_report<P>(problem_constants<P>(settings), expected.rows, expected.columns);
  for (const BlockResult& result : results) add_report<P>(result, &result == &results.back(), total);
  CHECK(total.score == expected.score);
  CHECK(total.row == expected.row);
  CHECK(total.column == expected.column);
}

template <class T>
T cell_of(const std::vector<unsigned char>& table, std::int64_t index) {
  T value;
  std::memcpy(&value, table.data() + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

}  // namespace terrace::wavefront::test
