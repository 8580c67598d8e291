// Rates of stars, boxes and separable boxes (`arithmetic: fast`) in two dimensions on the first CUDA device, in cells
// a second, with the limit by multiply-adds. All cells after some steps are compared with those of the kernel that
// makes one step at a time; those of separable boxes also with exact sums.
//
//   benchmark_stencil_cuda [SIDE [STEPS [OPERATOR RADIUS TYPE [DEPTH [SCHEDULE [TILE]]]]]]
//       side of the grid (16384); steps (512); one stencil alone (star2d, box2d, separable); the most steps at a
//       time, 0: as the kernel chooses; a schedule and a tile, as in a job

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "tests/benchmarks/stencil_on_cuda.hpp"

namespace terrace::stencil::benchmark {
namespace {

template <class T>
void report(const StencilSpec& spec, device::Context& context, std::int64_t steps) {
  const Run<T> got = run<T>(spec, context, 3, steps), plain = run<T>(plain_spec(spec), context, 1, 4);
  const Run<T> exact = spec.separable ? run<T>(plain_spec(exact_spec(spec)), context, 0, 0) : Run<T>{};
  const std::string verdict = verdict_of(spec, got.checked, plain.checked, exact.checked);
  const double cells = static_cast<double>(spec.extents[0]) * static_cast<double>(spec.width());
  const double rate = cells * static_cast<double>(steps) / got.seconds, one = cells * 4 / plain.seconds;
  const double limit = limit_of(spec, context);
  fmt::print(
      "{} r{} {} {}^2, {} steps: {:9.2f} ms, {:6.3f} T cells/s, {:3.0f}% of {:.2f}; a step at a time {:.3f}; {}\n",
      spec.separable ? "separable" : spec.name, spec.radius, name_of(spec.value), spec.extents[0], steps,
      got.seconds * 1e3, rate / 1e12, 100 * rate / limit, limit / 1e12, one / 1e12, verdict);
  std::fflush(stdout);
}

void report(const StencilSpec& spec, device::Context& context, std::int64_t steps) {
  if (spec.value == ElementType::f32) report<float>(spec, context, steps);
  else report<double>(spec, context, steps);
}

int run_all(int argc, char** argv) {
  const std::int64_t side = argc > 1 ? std::atoll(argv[1]) : 16384, steps = argc > 2 ? std::atoll(argv[2]) : 512;
  const auto context = device::make_cuda_context(0);
  fmt::print("{}\n", context->limits().name);
  if (argc > 5) {
    const ElementType type = std::string(argv[5]) == "f32" ? ElementType::f32 : ElementType::f64;
    StencilSpec spec = spec_of(argv[3], std::atoi(argv[4]), type, side, steps);
    if (argc > 6) spec.depth = std::atoll(argv[6]);
    if (argc > 7) spec.schedule = schedule_from(argv[7]);
    if (argc > 8) spec.tile = skewed_tile_from(argv[8]);
    report(spec, *context, steps);
    return 0;
  }
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    for (const char* name : {"star2d", "box2d", "separable"}) {
      for (int radius = 1; radius <= most_radius; ++radius) {
        report(spec_of(name, radius, type, side, steps), *context, steps);
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace terrace::stencil::benchmark

int main(int argc, char** argv) {
  try {
    return terrace::stencil::benchmark::run_all(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
