// Times of tables with many dimensions on the first CUDA device, with look-ups a second: sums over all cells of the
// steps that fit the cell. All cells are compared with those of the CPU, or a sum of them is printed, or some cells
// are computed again from those where their steps lead.
//
//   benchmark_dp_table_cuda [SCHEDULE [PARTITION_DIMENSIONS]]
//       tables 1 to 6 of chapter 5 of Li's dissertation: dimension i has weight 4 + i, steps have a weight of at most
//       16; SCHEDULE auto or partitioned
//   benchmark_dp_table_cuda EXTENTS WEIGHTS AT_MOST [CHECK]
//       one table, with lists such as 20,15,30; CHECK all or some: the cells that are checked
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/device/memory.hpp"
#include "kernels/dp_table/cuda/plan.hpp"
#include "kernels/dp_table/kernels.hpp"
#include "pipeline/base/error.hpp"
#include "tests/benchmarks/benchmark_main.hpp"

namespace terrace::dp_table::benchmark {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t most_cells_again = 10'000'000'000;  // of a table that is made more than once

/// Look-ups of the whole table: each step is one of the cells that it fits.
double look_ups_of(const Table& table) {
  double all = 0;
  for (std::int64_t number = 0; number < table.steps.count(); ++number) {
    double cells = 1;
    for (int d = 0; d < table.extents.rank(); ++d) {
      cells *= static_cast<double>(std::max<std::int64_t>(0, table.extents[d] - table.steps.step(number)[d]));
    }
    all += cells;
  }
  return all;
}

Table table_of(const Numbers& extents, const Numbers& weights, std::int64_t at_most) {
  Table table;
  for (const std::int64_t extent : extents) table.extents.push_back(extent);
  table.steps = steps_of_capacity(table.extents, weights, at_most).value();
  table.cut.rows = extents[0];
  return table;
}

/// Runs a launch of one block. @return its seconds
double run(device::Context& context, device::BlockKernel& kernel, const TableTask& task, TableResult& result) {
  struct Launched {
    device::u64 ready, stop, abort, done, failed, skipped;
    TableTask task;
    TableResult result;
  };
  const device::Memory memory(context, sizeof(Launched), device::In::host);
  auto* at = memory.as<Launched>();
  std::memset(at, 0, sizeof *at);
  at->ready = 1;
  at->task = task;
  const auto begin = context.record(device::Queue::compute);
  context.submit([&] {
    kernel.run({&at->ready, &at->stop, &at->abort, &at->done, &at->failed, &at->skipped, &at->task, &at->result, 1,
                sizeof(TableTask), sizeof(TableResult), 0, 1});
  });
  const auto end = context.record(device::Queue::compute);
  end->wait();
  if (at->done != 1) throw Error("the block was not computed");
  result = at->result;
  return end->seconds_since(*begin);
}

TableTask task_of(const Table& table, void* cells) {
  TableTask task{};
  task.rows = table.extents[0];
  task.cells = cells;
  task.walk_from = -1;
  return task;
}

std::vector<device::u8> cells_on_cpu(const Table& table, std::size_t count) {
  const auto context = device::make_cpu_context();
  std::vector<device::u8> cells(count);
  Table plain = table;
  plain.schedule = Schedule::automatic;
  const auto kernel = make_tables_cpu(plain, *context);
  kernel->set_tables({plain});
  TableResult result;
  run(*context, *kernel, task_of(plain, cells.data()), result);
  return cells;
}

/// Computes some cells again, each from the cells where its steps lead, as they are on the device.
/// @return a verdict
std::string some_checked(device::Context& context, const Table& table, const device::Memory& cells) {
  constexpr int samples = 500;
  const device::Memory staging(context, static_cast<std::size_t>(table.steps.count()) + 1, device::In::host);
  auto* const values = staging.as<device::u8>();
  std::mt19937_64 random(1);
  int different = 0;
  for (int sample = 0; sample < samples; ++sample) {
    std::int64_t offset = 0, look_ups = 0;
    std::vector<std::int64_t> cell;
    for (const std::int64_t extent : table.extents) {
      cell.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extent)));
      offset = offset * extent + cell.back();
    }
    const auto bring = [&](std::int64_t at) {
      context.copy(device::Queue::down, values + look_ups++, cells.as<device::u8>() + at, 1);
    };
    bring(offset);
    for (std::int64_t number = 0; number < table.steps.count(); ++number) {
      const std::int64_t* step = table.steps.step(number);
      std::int64_t back = 0;
      bool fits = true;
      for (int d = 0; d < table.extents.rank(); ++d) {
        fits = fits && step[d] <= cell[static_cast<std::size_t>(d)];
        back = back * table.extents[d] + step[d];
      }
      if (fits) bring(offset - back);
    }
    context.record(device::Queue::down)->wait();
    const int least = offset == 0 ? 0 : 1 + *std::min_element(values + 1, values + look_ups);
    different += values[0] != least;
  }
  return fmt::format("{} of {} cells differ from what their steps lead to", different, samples);
}

/// @return a verdict: cells that differ, or a sum of all
std::string checked(device::Context& context, const Table& table, const device::Memory& cells, bool compare) {
  const std::size_t count = cells.bytes(), piece = std::size_t{64} << 20;
  const device::Memory staging(context, std::min(count, piece), device::In::host);
  const std::vector<device::u8> expected = compare ? cells_on_cpu(table, count) : std::vector<device::u8>{};
  std::uint64_t sum = 0, different = 0;
  for (std::size_t begin = 0; begin < count; begin += piece) {
    const std::size_t size = std::min(piece, count - begin);
    context.copy(device::Queue::down, staging.as<void>(), cells.as<device::u8>() + begin, size);
    context.record(device::Queue::down)->wait();
    for (std::size_t i = 0; i < size; ++i) {
      const device::u8 value = staging.as<device::u8>()[i];
      sum += value * ((begin + i) % 1000003 + 1);
      if (compare) different += value != expected[begin + i];
    }
  }
  return fmt::format("sum {:016x}{}", sum, compare ? fmt::format(", {} cells differ from the CPU's", different) : "");
}

/// @param check all, some or none: the cells that are checked
void report(device::Context& context, const Table& table, const std::string& check, int runs) {
  const auto count = static_cast<std::size_t>(*cells_of(table.extents));
  const device::Memory cells(context, count), workspace(context, tables_cuda_bytes({table}));
  const auto kernel = make_tables_cuda(table, context, workspace.as<void>(), workspace.bytes());
  kernel->set_tables({table});
  TableResult result;
  double seconds = run(context, *kernel, task_of(table, cells.data()), result);
  for (int again = 1; again < runs; ++again) {
    seconds = std::min(seconds, run(context, *kernel, task_of(table, cells.data()), result));
  }
  const double look_ups = look_ups_of(table);
  const TablePlan plan(table);
  fmt::print(
      "({}), {} cells, {} steps, slabs ({}), {} outer and {} inner steps, {} levels, {:.1f} MiB: {:.4f} ms (expected "
      "{:.4f}), "
      "{:.3f} T look-ups/s; last {}; {}\n",
      fmt::join(table.extents, ", "), count, table.steps.count(), fmt::join(plan.cut.shape, ", "), plan.outer.size(),
      plan.inner.size(), plan.block_levels, static_cast<double>(workspace.bytes()) / (1 << 20), seconds * 1e3,
      plan.cut.nanoseconds / 1e6, look_ups / seconds / 1e12, result.last,
      check == "some" ? some_checked(context, table, cells) : checked(context, table, cells, check == "all"));
  std::fflush(stdout);
}

/// The tables as they are printed there.
const std::vector<Numbers> tables_of_paper = {
    {6, 4, 6, 6, 4},
    {2, 6, 3, 4, 6, 4},
    {2, 2, 4, 3, 2, 6, 3, 2},
    {3, 2, 3, 2, 2, 2, 2, 3, 4},
    {2, 3, 2, 2, 3, 3, 2, 2, 2, 2},
    {5, 3, 6, 3, 4, 4, 2},
    {5, 6, 2, 3, 2, 2, 4, 3},
    {3, 3, 4, 3, 2, 2, 5, 2, 2},
    {3, 16, 15, 18},
    {4, 5, 3, 6, 4, 3, 3},
    {3, 4, 3, 4, 3, 5, 3, 2},
    {3, 3, 3, 2, 3, 4, 2, 5, 2},
    {4, 4, 6, 6, 2, 3, 3, 2},
    {2, 4, 2, 3, 3, 3, 3, 2, 2, 2, 2},
    {5, 6, 3, 7, 6, 4, 8, 3},
    {3, 3, 3, 4, 5, 7, 2, 3, 4, 4},
    {3, 10, 7, 6, 4, 8, 10},
    {4, 5, 4, 2, 3, 5, 7, 3, 8},
};

Numbers numbers_of(const std::string& text) {
  Numbers numbers;
  std::istringstream stream(text);
  for (std::string number; std::getline(stream, number, ',');) numbers.push_back(std::atoll(number.c_str()));
  return numbers;
}

void run_all(int argc, char** argv, device::Context& context) {
  if (argc > 3) {
    const Table table = table_of(numbers_of(argv[1]), numbers_of(argv[2]), std::atoll(argv[3]));
    report(context, table, argc > 4 ? argv[4] : "", *cells_of(table.extents) > most_cells_again ? 1 : 3);
    return;
  }
  for (const Numbers& extents : tables_of_paper) {
    Numbers weights;
    for (std::size_t i = 0; i < extents.size(); ++i) weights.push_back(4 + static_cast<std::int64_t>(i));
    Table table = table_of(extents, weights, 16);
    if (argc > 1 && std::string(argv[1]) == "partitioned") table.schedule = Schedule::partitioned;
    if (argc > 2) table.partition_dimensions = std::atoi(argv[2]);
    report(context, table, "all", 20);
  }
}

}  // namespace
}  // namespace terrace::dp_table::benchmark

int main(int argc, char** argv) {
  return terrace::cuda_benchmark_main(
      [&](terrace::device::Context& context) { terrace::dp_table::benchmark::run_all(argc, argv, context); });
}
