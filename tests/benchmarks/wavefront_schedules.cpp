// Times of the papers' schedules on the first CUDA device, whole tables kept in device memory: the sizes of Li 2020,
// table 9, and of Belviranli et al. 2015, each result compared with the result of `registers`.
//
//   benchmark_wavefront_schedules [LARGEST]      LARGEST: log2 of the longest side, 15 unless said
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>

#include "kernels/wavefront/problems.hpp"
#include "tests/benchmarks/benchmark_main.hpp"
#include "tests/support/cuda_table.hpp"
#include "tests/support/schedules.hpp"

namespace terrace::wavefront {
namespace {

using testing::CudaTable;
using testing::TableInput;

struct Size {
  int rows, columns;  // log2
};

/// In the order of the paper's table.
constexpr Size sizes[] = {{12, 12}, {13, 13}, {15, 12}, {14, 14}, {15, 13},
                          {12, 15}, {13, 15}, {14, 15}, {15, 14}, {15, 15}};

constexpr std::int64_t most_compared = std::int64_t{1} << 24;  // cells up to which every one is compared

struct Problem {
  std::string title, name;
  Settings settings;
};

std::vector<Problem> problems_of_the_paper() {
  Problem alignment{"smith_waterman, match 3, mismatch -3, gap 2", "smith_waterman", {}};
  alignment.settings.set("match", 3.0);
  alignment.settings.set("mismatch", -3.0);
  alignment.settings.set("gap", 2.0);
  Problem sums{"summed_area, i32 to i32, wrap", "summed_area", {}};
  sums.settings.set("overflow", std::string("wrap"));
  return {alignment, {"edit_distance", "edit_distance", {}}, sums};
}

SweepSpec spec_of(const Problem& problem, std::int64_t rows, std::int64_t columns) {
  SweepSpec spec;
  spec.problem = problem.name;
  spec.settings = problem.settings;
  spec.rows = spec.block_rows = rows;
  spec.columns = spec.block_columns = columns;
  spec.value = spec.border = spec.grid = ElementType::i32;
  spec.table = ElementType::i32;
  return spec;
}

TableInput input_of(const Problem& problem, std::int64_t rows, std::int64_t columns) {
  std::mt19937 random(7);
  TableInput input;
  const auto letters = [&](std::vector<std::uint8_t>& side, std::int64_t count) {
    constexpr std::int64_t drawn = 1 << 20;
    side.resize(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < std::min(count, drawn); ++i) side[static_cast<std::size_t>(i)] = random() % 4;
    for (std::int64_t i = drawn; i < count; i += drawn) {  // again and again
      std::copy_n(side.begin(), std::min(drawn, count - i), side.begin() + i);
    }
  };
  if (problem.name == "summed_area") letters(input.grid, 4 * rows * columns);
  else letters(input.rows, rows), letters(input.columns, columns);
  return input;
}

/// The median of the runs after the first, in milliseconds.
double milliseconds(CudaTable& table, int runs) {
  table.run();
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) seconds.push_back(table.run());
  std::sort(seconds.begin(), seconds.end());
  return 1e3 * seconds[seconds.size() / 2];
}

bool same(const BlockResult& a, const BlockResult& b) {
  return a.score == b.score && a.row == b.row && a.column == b.column;
}

void report_size(device::Context& context, const Problem& problem, const std::string& title, std::int64_t rows,
                 std::int64_t columns) {
  const TableInput input = input_of(problem, rows, columns);
  std::string line = fmt::format("{:16}", title);
  std::vector<unsigned char> expected;
  BlockResult result{};
  bool right = true;
  std::vector<std::string> names = testing::tile_schedules();
  names.insert(names.begin(), "registers");
  for (const std::string& name : names) {
    SweepSpec spec = spec_of(problem, rows, columns);
    spec.schedule = *schedule_from(name);
    CudaTable table(spec, context, input);
    line += fmt::format(" {:18.3f}", milliseconds(table, 3));
    const bool all = rows * columns <= most_compared;
    if (name == "registers") {
      result = table.results.back();
      if (all) expected = table.table();
    } else {
      // Sums that wrap are reported as they were computed, in 32 or in 64 bits.
      right = right && (problem.name == "summed_area" || same(table.results.back(), result));
      right = right && (!all || table.table() == expected);
    }
  }
  std::cout << line << (right ? "  right\n" : "  WRONG\n") << std::flush;
}

void report_problem(device::Context& context, const Problem& problem, int largest) {
  std::cout << problem.title << ", i32 table kept; milliseconds\n" << fmt::format("{:16}", "rows x columns");
  std::cout << fmt::format(" {:>18}", "registers");
  for (const std::string& name : testing::tile_schedules()) std::cout << fmt::format(" {:>18}", name);
  std::cout << "\n";
  for (const Size& size : sizes) {
    if (std::max(size.rows, size.columns) > largest) continue;
    report_size(context, problem, fmt::format("2^{} x 2^{}", size.rows, size.columns), std::int64_t{1} << size.rows,
                std::int64_t{1} << size.columns);
  }
  if (largest >= 15 && problem.name == "smith_waterman") {
    report_size(context, problem, "46080 x 46080", 46080, 46080);
  }
}

/// The same without a table: the cost of cells apart from their computation.
void report_scores(device::Context& context, int largest) {
  const Problem problem = problems_of_the_paper()[0];
  const std::int64_t side = std::int64_t{1} << largest;
  const TableInput input = input_of(problem, side, side);
  std::cout << problem.title << ", score alone, 2^" << largest << " squared; milliseconds\n"
            << fmt::format("{:16}", "");
  for (const std::string& name : testing::tile_schedules()) {
    SweepSpec spec = spec_of(problem, side, side);
    spec.table.reset();
    spec.schedule = *schedule_from(name);
    CudaTable table(spec, context, input);
    std::cout << fmt::format("  {}: {:.3f}", name, milliseconds(table, 3));
  }
  std::cout << "\n" << std::flush;
}

/// Peer-synchronised hyperplane tiles of every width, as in the papers' comparison with the model.
void report_widths(device::Context& context, int largest) {
  const Problem problem = problems_of_the_paper()[0];
  const std::int64_t side = std::int64_t{1} << largest;
  const TableInput input = input_of(problem, side, side);
  const auto time = [&](const char* schedule, int height, int width) {
    SweepSpec spec = spec_of(problem, side, side);
    spec.schedule = *schedule_from(schedule);
    CudaTrial trial;
    trial.tile_height = height;
    trial.tile_width = width;
    CudaTable table(spec, context, input, trial);
    return milliseconds(table, 3);
  };
  std::cout << "peer_flexible by tile height and width, smith_waterman, 2^" << largest << " squared; milliseconds\n";
  for (int height : {1024, 512, 256, 128}) {
    std::cout << fmt::format("{:6}", height);
    for (int width : {32, 64, 128, 256, 512, 1024}) {
      std::cout << fmt::format("  {:4}: {:8.3f}", width, time("peer_flexible", height, width));
    }
    std::cout << fmt::format("  model: {:8.3f}\n", time("peer_flexible", height, 0)) << std::flush;
  }
  std::cout << "shared_hyperplane by tile height and width\n";
  for (int height : {64, 128, 256}) {
    std::cout << fmt::format("{:6}", height);
    for (int width : {32, 64, 128}) {
      if (height * width > 128 * 64) continue;
      std::cout << fmt::format("  {:4}: {:8.3f}", width, time("shared_hyperplane", height, width));
    }
    std::cout << "\n" << std::flush;
  }
}

void run(int argc, char** argv, device::Context& context) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 15;
  for (const Problem& problem : problems_of_the_paper()) report_problem(context, problem, largest);
  report_scores(context, largest);
  report_widths(context, largest);
}

}  // namespace
}  // namespace terrace::wavefront

int main(int argc, char** argv) {
  return terrace::cuda_benchmark_main(
      [&](terrace::device::Context& context) { terrace::wavefront::run(argc, argv, context); });
}
