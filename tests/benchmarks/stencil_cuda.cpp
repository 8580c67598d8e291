// Rates of stencils on the first CUDA device, in cells a second, with the limit by the operations of a cell. All
// cells after some steps are compared with those of the kernel that makes one step at a time; those of separable
// boxes
// (`arithmetic: fast`) also with exact sums.
//
//   benchmark_stencil_cuda [SIDE [STEPS [OPERATOR RADIUS TYPE [DEPTH [SCHEDULE [TILE]]]]]]
//       side of the grid (16384; in three dimensions SIDE / 16 x SIDE / 32 x SIDE / 32); steps (512); one stencil
//       alone, also `separable`; the most steps at a time, 0: as the kernel chooses; a schedule and a tile, as in a
//       job
//   benchmark_stencil_cuda formulas [SIDE [STEPS]]
//       heat2d, wave2d, fdtd2d and hotspot, side 8192

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <string>

#include "tests/benchmarks/benchmark_main.hpp"
#include "tests/benchmarks/stencil_on_cuda.hpp"

namespace terrace::stencil::benchmark {
namespace {

template <class T>
void report(const StencilSpec& spec, device::Context& context, std::int64_t steps) {
  const Run<T> got = run<T>(spec, context, 3, steps), plain = run<T>(plain_spec(spec), context, 1, 4);
  const Run<T> exact = spec.separable ? run<T>(plain_spec(exact_spec(spec)), context, 0, 0) : Run<T>{};
  const double rate = rate_of(spec, got.seconds, steps), limit = limit_of(spec, context);
  fmt::print(
      "{} r{} {} {}, {} steps: {:9.2f} ms, {:6.3f} T cells/s, {:3.0f}% of {:.2f}; a step at a time {:.3f}; {}\n",
      spec.separable ? "separable" : spec.name, spec.radius, name_of(spec.value), fmt::join(spec.extents, "x"), steps,
      got.seconds * 1e3, rate / 1e12, 100 * rate / limit, limit / 1e12, rate_of(spec, plain.seconds, 4) / 1e12,
      verdict_of(spec, got.checked, plain.checked, exact.checked));
  std::fflush(stdout);
}

void report(const StencilSpec& spec, device::Context& context, std::int64_t steps) {
  if (spec.value == ElementType::f32) report<float>(spec, context, steps);
  else report<double>(spec, context, steps);
}

void report_all(device::Context& context, std::int64_t side, std::int64_t steps) {
  struct Family {
    const char* name;
    int most_radius;
  };
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    for (const Family& family : {Family{"star2d", 8}, {"box2d", 8}, {"separable", 8}, {"star3d", 4}, {"box3d", 2}}) {
      for (int radius = 1; radius <= family.most_radius; ++radius) {
        report(spec_of(family.name, radius, type, side, steps), context, steps);
      }
    }
  }
}

void report_formulas(device::Context& context, std::int64_t side, std::int64_t steps) {
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    for (const char* name : {"heat2d", "wave2d", "fdtd2d", "hotspot"}) {
      report(spec_of(name, 1, type, side, steps), context, steps);
    }
  }
}

void run_all(int argc, char** argv, device::Context& context) {
  const bool formulas = argc > 1 && std::string(argv[1]) == "formulas";
  if (formulas) --argc, ++argv;
  const std::int64_t side = argc > 1 ? std::atoll(argv[1]) : formulas ? 8192 : 16384;
  const std::int64_t steps = argc > 2 ? std::atoll(argv[2]) : 512;
  if (formulas) {
    report_formulas(context, side, steps);
  } else if (argc > 5) {
    const ElementType type = std::string(argv[5]) == "f32" ? ElementType::f32 : ElementType::f64;
    StencilSpec spec = spec_of(argv[3], std::atoi(argv[4]), type, side, steps);
    if (argc > 6) spec.depth = std::atoll(argv[6]);
    if (argc > 7) spec.schedule = schedule_from(argv[7]);
    if (argc > 8) spec.tile = skewed_tile_from(argv[8]);
    report(spec, context, steps);
  } else {
    report_all(context, side, steps);
  }
}

}  // namespace
}  // namespace terrace::stencil::benchmark

int main(int argc, char** argv) {
  return terrace::cuda_benchmark_main(
      [&](terrace::device::Context& context) { terrace::stencil::benchmark::run_all(argc, argv, context); });
}
