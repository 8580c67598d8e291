// Rates of several sizes of one kernel side by side (stencil_variants.cu), on the first CUDA device, in cells a
// second: for the choice of those in kernels/stencil/measured.hpp. Cells are checked as benchmark_stencil_cuda does.
//
//   benchmark_stencil_sizes [SIDE [STEPS [STENCIL [RADIUS [TYPE]]]]]
//       side of the grid (16384); steps (512); star2d, box2d or separable alone; of one radius; f32 or f64

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "tests/benchmarks/stencil_variants.hpp"

namespace terrace::stencil::benchmark {
namespace {

/// The cells of a stencil as one step at a time makes them.
template <class T>
struct Checked {
  std::string name;
  std::vector<T> plain, exact;
};

template <class T>
void time_variant(const Variant& variant, const StencilSpec& spec, device::Context& context, std::int64_t steps,
                  Checked<T>& checked) {
  const std::string name = fmt::format("{} r{} {}", variant.stencil, variant.radius, name_of(variant.type));
  if (checked.name != name) {
    checked.name = name;
    checked.plain = run<T>(plain_spec(spec), context, 0, 0).checked;
    if (spec.separable) checked.exact = run<T>(plain_spec(exact_spec(spec)), context, 0, 0).checked;
  }
  const Run<T> got = run<T>(spec, context, 3, steps, variant.make);
  const double cells = static_cast<double>(spec.extents[0]) * static_cast<double>(spec.width());
  const double rate = cells * static_cast<double>(steps) / got.seconds, limit = limit_of(spec, context);
  fmt::print("{} {:24}: {:9.2f} ms, {:6.3f} T cells/s, {:3.0f}% of {:.2f}; {}\n", name, variant.sizes,
             got.seconds * 1e3, rate / 1e12, 100 * rate / limit, limit / 1e12,
             verdict_of(spec, got.checked, checked.plain, checked.exact));
  std::fflush(stdout);
}

int run_all(int argc, char** argv) {
  const std::int64_t side = argc > 1 ? std::atoll(argv[1]) : 16384, steps = argc > 2 ? std::atoll(argv[2]) : 512;
  const auto context = device::make_cuda_context(0);
  fmt::print("{}\n", context->limits().name);
  Checked<float> checked_f32;
  Checked<double> checked_f64;
  for (const Variant& variant : variants()) {
    if (argc > 3 && variant.stencil != argv[3]) continue;
    if (argc > 4 && variant.radius != std::atoi(argv[4])) continue;
    if (argc > 5 && name_of(variant.type) != std::string(argv[5])) continue;
    const StencilSpec spec = spec_of(variant.stencil, variant.radius, variant.type, side, steps);
    if (variant.type == ElementType::f32) time_variant(variant, spec, *context, steps, checked_f32);
    else time_variant(variant, spec, *context, steps, checked_f64);
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
