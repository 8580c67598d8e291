// usage: benchmark_dp_table_cpu [EXTENT...]: a table on the CPU beside Algorithm 2 of Ghalami and Grosu, compiled for
// this machine, with all threads in the same run. Dimension i has weight 4 + i, steps are all vectors of at most 16.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>

#include "kernels/device/cpu_context.hpp"
#include "kernels/device/cpu_features.hpp"
#include "kernels/device/memory.hpp"
#include "kernels/dp_table/kernels.hpp"
#include "tests/benchmarks/dp_table_levels.hpp"

namespace terrace::dp_table {
namespace {

constexpr std::int64_t first_weight = 4, at_most = 16;

template <class Work>
double seconds_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Computes the table in one launch. @return seconds
double run(device::Context& context, TableKernel& kernel, const Table& table, std::uint8_t* cells) {
  struct Words {
    device::u64 ready = 1, stop = 0, abort = 0, done = 0, failed = 0, skipped = 0;
  } words;
  TableTask task{};
  task.rows = table.extents[0];
  task.cells = cells;
  task.walk_from = -1;
  TableResult result{};
  return seconds_of([&] {
    kernel.run({&words.ready, &words.stop, &words.abort, &words.done, &words.failed, &words.skipped, &task, &result,
                1, sizeof task, sizeof result, 0, 1});
    context.record(device::Queue::compute)->wait();
  });
}

int measure(const std::vector<std::int64_t>& extents) {
  Table table;
  std::vector<std::int64_t> weights;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    table.extents.push_back(extents[d]);
    weights.push_back(first_weight + static_cast<std::int64_t>(d));
  }
  table.steps = *steps_of_capacity(table.extents, weights, at_most);
  table.type = narrowest_type(Combine::min, table.extents, table.steps, 0);
  table.cut.rows = extents[0];
  if (table.type != ElementType::u8) {
    fmt::print(stderr, "the table's values are not of bytes; give smaller extents\n");
    return 1;
  }
  const int threads = device::usable_threads();
  device::CpuContext context(threads);
  const auto cells = static_cast<std::size_t>(*cells_of(table.extents));
  fmt::print("{}, table of {}, {} steps\n", context.limits().name, to_string(table.extents), table.steps.count());
  std::vector<std::int32_t> expected;
  const double plain = seconds_of([&] { expected = run_levels(extents, weights, at_most, threads); });
  fmt::print("Algorithm 2: {:.1f} ms\n", plain * 1e3);
  for (const Schedule schedule : {Schedule::automatic, Schedule::partitioned, Schedule::levels}) {
    table.schedule = schedule;
    const auto kernel = make_tables_cpu(table, context);
    kernel->set_tables({table});
    double best = 1e9;
    for (int repeat = 0; repeat < 5; ++repeat) {
      std::vector<std::uint8_t> found(cells, 77);
      best = std::min(best, run(context, *kernel, table, found.data()));
      for (std::size_t cell = 0; cell < cells; ++cell) {
        if (found[cell] != (expected[cell] < 0 ? 255 : expected[cell])) {
          fmt::print(stderr, "cell {} is wrong\n", cell);
          return 1;
        }
      }
    }
    const char* name = schedule == Schedule::automatic ? "auto"
                       : schedule == Schedule::levels  ? "levels"
                                                       : "partitioned";
    fmt::print("{:<12} {:.2f} ms, {:.2f} G look-ups/s at most, {:.1f} times Algorithm 2\n", name, best * 1e3,
               static_cast<double>(cells) * static_cast<double>(table.steps.count()) / best / 1e9, plain / best);
  }
  return 0;
}

}  // namespace
}  // namespace terrace::dp_table

int main(int count, char** arguments) {
  std::vector<std::int64_t> extents;
  for (int i = 1; i < count; ++i) extents.push_back(std::strtoll(arguments[i], nullptr, 10));
  if (extents.empty()) extents = {3, 10, 7, 6, 4, 8, 10};
  return terrace::dp_table::measure(extents);
}
