// usage: benchmark_recursive_cpu [N]: rates of the recursive family's kernels on the CPU, for matrices of N x N
// (4096), by the clock on the wall and by the processors' time, which other programs on the machine do not take from.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
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

/// Runs one block three times and prints the best rates.
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
  double wall = 1e30, processors = 1e30;
  for (int turn = 0; turn < 3; ++turn) {
    fill(x);
    TileTask task{};
    task.rows = task.columns = task.depth = task.x_stride = task.u_stride = task.v_stride = n;
    task.function = function;
    task.x = x.data();
    task.u = u.data();
    task.v = v.data();
    TileResult result{};
    device::u64 ready = 1, stop = 0, abort = 0, done = 0, failed = 0, skipped = 0;
    const Seconds begin = now();
    kernel->run(
        {&ready, &stop, &abort, &done, &failed, &skipped, &task, &result, 1, sizeof task, sizeof result, 0, 1});
    const Seconds end = now();
    wall = std::min(wall, end.wall - begin.wall);
    processors = std::min(processors, end.processors - begin.processors);
  }
  const double operations = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) / 1e9;
  const char* what = function == Function::a ? "closure" : "product";
  fmt::print("{:8} {:10} {:3} {:6}: {:6.1f} G/s by the wall, {:6.1f} G/s a core of its time\n", what, semiring,
             name_of(type), n, operations / wall, operations / processors);
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
  measure<std::uint8_t>(context, "or_and", Function::d, n);
  return 0;
}
