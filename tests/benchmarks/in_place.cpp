// Rates of in-place sweeps of square grids, in cells a second, with the limit: on the first CUDA device if there is
// one, else on the CPU.
//
//   benchmark_in_place [--cpu [THREADS [SIDE]]]     SIDE of the grids (4096)

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "kernels/device/cpu_context.hpp"
#include "kernels/in_place/methods.hpp"
#include "tests/benchmarks/benchmark_main.hpp"
#include "tests/support/in_place_grid.hpp"

namespace {

using namespace terrace;
using namespace terrace::in_place;

struct Work {
  const char* problem;
  ElementType type;
  std::int64_t side, sweeps, slab_rows, pass_sweeps;
  double operations;  // of a cell; a division counts as one
};

/// The lesser of the limits by arithmetic and by memory, where each value is read and written once per pass.
double limit_of(const Work& work, const device::Limits& limits, bool cuda) {
  const auto size = static_cast<double>(size_of(work.type));
  const double operations = limits.operations_per_second * (cuda ? 2 : 1) * 4 / size / work.operations;
  if (limits.memory_bytes_per_second <= 0) return operations;
  return std::min(operations, limits.memory_bytes_per_second / (2 * size) * static_cast<double>(work.pass_sweeps));
}

void report(const Work& work, device::Context& context) {
  const bool cuda = !context.shares_host_memory();
  InPlaceSpec spec;
  spec.problem = work.problem;
  spec.settings.set("omega", 1.5);
  spec.rows = spec.columns = work.side;
  spec.slab_rows = work.slab_rows;
  spec.pass_sweeps = work.pass_sweeps;
  spec.value = work.type;
  const auto backend = cuda ? device::Backend::cuda : device::Backend::cpu;
  const InPlaceMethod& method = *device::choose_method(in_place_methods(), backend, "auto", spec, context.limits());
  const auto bytes = cuda ? method.workspace(spec, context.limits()) : std::size_t{0};
  device::Memory workspace(context, bytes);
  const auto sweep = method.make(spec, context, workspace.data());
  testing::InPlaceGrid grid(spec, context, *sweep);
  double best = 1e300;
  for (unsigned run = 0; run < 3; ++run) {
    grid.fill(run);
    best = std::min(best, grid.sweep(work.sweeps, spec.slabs()));
  }
  const double cells = static_cast<double>(work.side) * static_cast<double>(work.side);
  const double rate = cells * static_cast<double>(work.sweeps) / best, limit = limit_of(work, context.limits(), cuda);
  fmt::print(
      "{:7} {} {}^2, {:4} sweeps, {:4} a pass, slabs of {:5}: {:9.2f} ms, {:8.2f} Gcell/s, {:3.0f}% of {:.2f}\n",
      work.problem, name_of(work.type), work.side, work.sweeps, work.pass_sweeps, work.slab_rows, best * 1e3,
      rate / 1e9, 100 * rate / limit, limit / 1e9);
}

int run(int argc, char** argv) {
  const bool cuda = argc < 2 && !device::cuda_devices().empty();
  const auto context =
      cuda ? device::make_cuda_context(0) : device::make_cpu_context(argc > 2 ? std::atoi(argv[2]) : 0);
  fmt::print("{}\n", context->limits().name);
  const std::int64_t n = cuda ? 32768 : argc > 3 ? std::atoll(argv[3]) : 4096;
  constexpr auto f32 = ElementType::f32, f64 = ElementType::f64;
  constexpr double sor = 8, seidel = 9;
  for (std::int64_t sweeps : {1, 4, 8, 16, 64, 256}) report({"sor", f32, n, sweeps, n, sweeps, sor}, *context);
  // A slab has more rows than a pass has sweeps.
  report({"sor", f32, n, 256, n / 8, std::min<std::int64_t>(256, n / 16), sor}, *context);
  report({"sor", f32, n / 4, 256, n / 4, 256, sor}, *context);
  report({"sor", f64, n, 64, n, 64, sor}, *context);
  report({"seidel", f32, n, 1, n, 1, seidel}, *context);
  report({"seidel", f32, n, 64, n, 64, seidel}, *context);
  report({"seidel", f64, n / 2, 64, n / 2, 64, seidel}, *context);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return terrace::benchmark_main([&] { return run(argc, argv); });
}
