// usage: benchmark_recursive_cpu [N]: rates of the recursive family's kernels on the CPU, for matrices of N x N
// (4096), by the clock on the wall and by the processors' time, which other programs on the machine do not take from.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device/cpu_context.hpp"
#include "kernels/recursive/problems.hpp"
#include "kernels/recursive/task.hpp"
#include "kernels/recursive/tiles.hpp"

namespace {

using namespace terrace;
using recursive::Function;
using recursive::TileResult;
using recursive::TileTask;

struct Seconds {
  double wall, processors;
};

Seconds now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  const auto wall = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration<double>(wall).count(),
          static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec)};
}

/// The least seconds of three turns of one block, each after prepare().
template <class Prepare>
Seconds time_block(device::BlockKernel& kernel, const TileTask& task, const Prepare& prepare) {
  Seconds least{1e30, 1e30};
  for (int turn = 0; turn < 3; ++turn) {
    prepare();
    TileResult result{};
    device::u64 ready = 1, stop = 0, abort = 0, done = 0, failed = 0, skipped = 0;
    const Seconds begin = now();
    kernel.run(
        {&ready, &stop, &abort, &done, &failed, &skipped, &task, &result, 1, sizeof task, sizeof result, 0, 1});
    const Seconds end = now();
    least = {std::min(least.wall, end.wall - begin.wall),
             std::min(least.processors, end.processors - begin.processors)};
  }
  return least;
}

void print(const char* what, const std::string& semiring, std::string_view type, std::int64_t n, Seconds seconds) {
  const double operations = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) / 1e9;
  fmt::print("{:8} {:10} {:4} {:6}: {:6.1f} G/s by the wall, {:6.1f} G/s a core of its time\n", what, semiring, type,
             n, operations / seconds.wall, operations / seconds.processors);
}

TileTask square_task(std::int64_t n, Function function) {
  TileTask task{};
  task.rows = task.columns = task.depth = task.x_stride = task.u_stride = task.v_stride = n;
  task.function = function;
  return task;
}

template <class T>
void measure(device::CpuContext& context, const std::string& semiring, Function function, std::int64_t n) {
  std::mt19937 random(1);
  std::vector<T> x(static_cast<std::size_t>(n * n)), u, v;
  const auto fill = [&](std::vector<T>& matrix) {
    matrix.resize(static_cast<std::size_t>(n * n));
    for (T& value : matrix) value = static_cast<T>(1 + random() % 1000);
  };
  if (function == Function::d) fill(u), fill(v);
  const ElementType type = element_type_of<T>();
  const recursive::TileSpec spec{recursive::find_semiring(semiring), type, recursive::Table::values,
                                 context.limits().processors};
  const auto kernel = recursive::make_tiles_cpu(spec, context);
  TileTask task = square_task(n, function);
  task.x = x.data();
  task.u = u.data();
  task.v = v.data();
  print(function == Function::a ? "closure" : "product", semiring, name_of(type), n,
        time_block(*kernel, task, [&] { fill(x); }));
}

/// The product of two tables of bits of which about half are 1, in bits and in counts.
void measure_bits(device::CpuContext& context, std::int64_t n) {
  const std::int64_t words = (n + 31) / 32;
  std::mt19937 random(1);
  std::vector<device::u32> u(static_cast<std::size_t>(n * words)), v(u), x(static_cast<std::size_t>(n * n));
  for (device::u32& word : u) word = static_cast<device::u32>(random());
  for (device::u32& word : v) word = static_cast<device::u32>(random());
  TileTask task = square_task(n, Function::d);
  task.u_stride = task.v_stride = words;
  task.empty = 1;
  task.x = x.data();
  task.u = u.data();
  task.v = v.data();
  const recursive::TileSpec counts{recursive::find_semiring("count"), ElementType::i32, recursive::Table::counts};
  print("product", "count", "i32", n, time_block(*recursive::make_tiles_cpu(counts, context), task, [] {}));
  task.columns = task.x_stride = words;
  const recursive::TileSpec bits{recursive::find_semiring("or_and"), ElementType::u32, recursive::Table::bits};
  print("product", "or_and", "bits", n, time_block(*recursive::make_tiles_cpu(bits, context), task, [] {}));
}

}  // namespace

int main(int count, char** arguments) {
  const std::int64_t n = count > 1 ? std::atoll(arguments[1]) : 4096;
  device::CpuContext context(0);
  fmt::print("{}\n", context.limits().name);
  measure<float>(context, "min_plus", Function::a, n);
  measure<std::int32_t>(context, "min_plus", Function::a, n);
  measure<std::int16_t>(context, "min_plus", Function::a, n);
  measure<double>(context, "min_plus", Function::a, n);
  measure<std::int64_t>(context, "min_plus", Function::a, n);
  for (const char* semiring : {"plus_times", "min_plus", "max_min"}) {
    measure<float>(context, semiring, Function::d, n);
    measure<double>(context, semiring, Function::d, n);
  }
  measure_bits(context, n);
  return 0;
}
