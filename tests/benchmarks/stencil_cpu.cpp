// Rates of stencils on the CPU, in cells a second, with the limit by fused multiply-adds, beside a plain OpenMP loop
// of the five-point sum, compiled with -O3 -march=native.
//
//   benchmark_stencil_cpu [THREADS [NAME [SIDE]]]
//
// THREADS: 0: all. NAME: of an operator, `separable` (a box2d that is computed so), `loop`, `turns` (the five-point
// sum and the loop in turns), `formula` (operators of the list and the same as formulas, by strips and compiled by
// the compiler of CXX or in PATH, in turns) or `all`. SIDE of the grids of two dimensions (8192): volumes have sides
// of a sixteenth, lines as many cells as squares.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/compiled/cxx.hpp"
#include "kernels/compiled/store.hpp"
#include "kernels/device/cpu_context.hpp"
#include "kernels/stencil/compiled.hpp"
#include "kernels/stencil/operators.hpp"
#include "kernels/stencil/separable.hpp"
#include "kernels/stencil/stencil.hpp"
#include "pipeline/base/error.hpp"
#include "tests/benchmarks/benchmark_main.hpp"
#include "tests/benchmarks/stencil_loop.hpp"
#include "tests/differential/stencil/driver.hpp"
#include "tests/differential/stencil/formulas.hpp"
#include "tests/support/temp_folder.hpp"

namespace {

using namespace terrace;
using namespace terrace::stencil;

constexpr int runs = 5;  // the best counts: other programs share the machine

struct Size {
  const char* name;
  ElementType type;
  std::array<std::int64_t, 3> extents;
  int rank, radius;
  std::int64_t steps;
  double operations;  // of a cell; a fused multiply-add is one
};

StencilSpec spec_of(const Size& size) {
  StencilSpec spec;
  const bool separable = std::string_view(size.name) == "separable";
  spec.name = separable ? "box2d" : size.name;
  spec.rank = size.rank;
  spec.extents = size.extents;
  if (size.rank == 2) spec.faces[1] = {Face::edge, Face::edge, 0, 0};
  spec.radius = size.radius;
  spec.value = size.type;
  spec.slab_rows = size.extents[0];
  spec.pass_steps = size.steps;
  const OperatorInfo* info = find_operator(spec.name);
  if (info->linear) spec.terms = terms_of(info->shape, size.rank, size.radius);
  for (Term<double>& term : spec.terms) term.coefficient *= 1.01;
  if (separable) {
    spec.terms = separated(spec).value();
    spec.separable = true;
  }
  spec.settings.set("dt", 0.1);
  spec.settings.set("diffusivity", 0.5);
  spec.settings.set("speed", 0.5);
  spec.drive.assign(static_cast<std::size_t>(size.steps), 0.5);
  return spec;
}

template <class T>
std::vector<T> random_values(std::int64_t count) {
  std::mt19937 random(1);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = static_cast<T>(random() >> 8) / T(1 << 24);
  return values;
}

double rate_of(const Size& size, double seconds) {
  return static_cast<double>(size.extents[0] * size.extents[1] * size.extents[2] * size.steps) / seconds;
}

template <class T>
double best_seconds(const Size& size, device::Context& context) {
  const StencilSpec spec = spec_of(size);
  Grids<T> grids;
  const OperatorInfo* info = find_operator(spec.name);
  const std::vector<T> values = random_values<T>(size.extents[0] * spec.width());
  for (std::size_t f = 0; f < info->fields.size(); ++f) grids.fields.push_back(values);
  const auto kernel = make_stencil_cpu(spec, context);
  stencil::testing::StencilDriver<T> driver(spec, context, *kernel, grids);
  double best = 1e300;
  for (int run = 0; run < runs; ++run) best = std::min(best, driver.run(0, size.steps).seconds);
  return best;
}

template <class T>
double best_seconds_of_loop(const Size& size, int threads) {
  const std::int64_t rows = size.extents[0], columns = size.extents[2];
  std::vector<T> a = random_values<T>(rows * columns), b = a;
  const T coefficients[] = {T(0.2), T(0.21), T(0.19), T(0.18), T(0.2)};
  double best = 1e300;
  for (int run = 0; run < runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    run_loop(a.data(), b.data(), rows, columns, coefficients, size.steps, threads);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

void report(const Size& size, device::Context& context) {
  const double seconds =
      size.type == ElementType::f32 ? best_seconds<float>(size, context) : best_seconds<double>(size, context);
  const double per_operation = size.type == ElementType::f32 ? 1 : 0.5;
  const double limit = context.limits().multiply_adds_per_second * per_operation / size.operations;
  const double rate = rate_of(size, seconds);
  fmt::print("{:7} r{} {} {} x {} x {}, {} steps: {:8.2f} ms, {:6.2f} Gcell/s, {:3.0f}% of {:.2f}\n", size.name,
             size.radius, name_of(size.type), size.extents[0], size.extents[1], size.extents[2], size.steps,
             seconds * 1e3, rate / 1e9, 100 * rate / limit, limit / 1e9);
  std::fflush(stdout);
}

void report_loop(const Size& size, int threads) {
  const double seconds = size.type == ElementType::f32 ? best_seconds_of_loop<float>(size, threads)
                                                       : best_seconds_of_loop<double>(size, threads);
  fmt::print("loop    r1 {} {} x {} x {}, {} steps: {:8.2f} ms, {:6.2f} Gcell/s\n", name_of(size.type),
             size.extents[0], size.extents[1], size.extents[2], size.steps, seconds * 1e3,
             rate_of(size, seconds) / 1e9);
}

/// The five-point sum and the loop in turns, so that other programs disturb both alike.
template <class T>
void compare(const Size& size, device::Context& context, int threads) {
  const StencilSpec spec = spec_of(size);
  Grids<T> grids;
  std::vector<T> a = random_values<T>(size.extents[0] * spec.width()), b = a;
  grids.fields.push_back(a);
  const auto kernel = make_stencil_cpu(spec, context);
  stencil::testing::StencilDriver<T> driver(spec, context, *kernel, grids);
  const T coefficients[] = {T(0.2), T(0.21), T(0.19), T(0.18), T(0.2)};
  constexpr std::int64_t loop_steps = 8;
  double best = 1e300, best_of_loop = 1e300;
  for (int turn = 0; turn < 3 * runs; ++turn) {
    const auto begin = std::chrono::steady_clock::now();
    run_loop(a.data(), b.data(), size.extents[0], size.extents[2], coefficients, loop_steps, threads);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    best_of_loop = std::min(best_of_loop, seconds / static_cast<double>(loop_steps));
    best = std::min(best, driver.run(0, size.steps).seconds / static_cast<double>(size.steps));
  }
  const double cells = static_cast<double>(size.extents[0] * size.extents[2]);
  fmt::print("{} {} x {}, {} steps, in turns with the loop: {:.2f} and {:.2f} Gcell/s, {:.2f} times\n",
             name_of(size.type), size.extents[0], size.extents[2], size.steps, cells / best / 1e9,
             cells / best_of_loop / 1e9, best_of_loop / best);
  std::fflush(stdout);
}

/// An operator of the list, and the same as formulas.
struct WrittenAlike {
  Size size;
  std::vector<std::string> formulas;
};

std::vector<WrittenAlike> written_alike(std::int64_t n) {
  constexpr auto f32 = ElementType::f32, f64 = ElementType::f64;
  const std::int64_t m = n / 16;
  const std::string heat = "fma(0.1*0.5, fma(-4, f0, f0[-1,0] + f0[0,-1] + f0[0,1] + f0[1,0]), f0)";
  const std::string wave =
      "fma((0.1*0.5)*(0.1*0.5), fma(-4, f0, f0[-1,0] + f0[0,-1] + f0[0,1] + f0[1,0]), (f0 + f0) - f1)";
  const std::string volume =
      "fma(0.1*0.5, fma(-6, f0, f0[-1,0,0] + f0[0,-1,0] + f0[0,0,-1] + f0[0,0,1] + f0[0,1,0] + f0[1,0,0]), f0)";
  return {{{"heat2d", f32, {n, 1, n}, 2, 1, 64, 5}, {heat}},
          {{"heat2d", f64, {n / 2, 1, n}, 2, 1, 64, 5}, {heat}},
          {{"wave2d", f32, {n, 1, n}, 2, 1, 32, 7}, {wave, "f0"}},
          {{"heat3d", f32, {m, m, m}, 3, 1, 16, 7}, {volume}}};
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The three in turns, so that other programs disturb all alike; their cells are the same.
template <class T>
void compare_written(const WrittenAlike& alike, device::Context& context) {
  constexpr int kinds = 3;  // the operator, strips, compiled
  const Size& size = alike.size;
  StencilSpec specs[kinds] = {spec_of(size), spec_of(size), spec_of(size)};
  for (int kind = 1; kind < kinds; ++kind) stencil::testing::write_formulas(specs[kind], alike.formulas);
  specs[2].compiler = compiled::find_cxx();
  const std::vector<T> values = random_values<T>(size.extents[0] * specs[0].width());
  Grids<T> grids[kinds];
  std::unique_ptr<device::BlockKernel> kernels[kinds];
  std::vector<std::unique_ptr<stencil::testing::StencilDriver<T>>> drivers;
  double best[kinds] = {1e300, 1e300, 1e300}, compiling = 0;
  for (int kind = 0; kind < kinds; ++kind) {
    grids[kind].fields.assign(static_cast<std::size_t>(specs[0].fields()), values);
    const auto begin = std::chrono::steady_clock::now();
    kernels[kind] = kind == 2 ? make_stencil_compiled(specs[kind], context) : make_stencil_cpu(specs[kind], context);
    compiling = seconds_since(begin);
    drivers.push_back(
        std::make_unique<stencil::testing::StencilDriver<T>>(specs[kind], context, *kernels[kind], grids[kind]));
  }
  for (int turn = 0; turn < runs; ++turn) {
    for (int kind = 0; kind < kinds; ++kind) {
      best[kind] = std::min(best[kind], drivers[static_cast<std::size_t>(kind)]->run(0, size.steps).seconds);
    }
  }
  for (int kind = 0; kind < kinds; ++kind) {
    drivers[static_cast<std::size_t>(kind)]->get(grids[kind]);
    if (grids[0].fields != grids[kind].fields)
      throw std::runtime_error("formulas give other cells than the operator");
  }
  const int operations = specs[1].written->cells.operations();
  fmt::print(
      "{} {} {} x {} x {}, {} steps: {:.2f} Gcell/s, as {} operations of formulas {:.2f}: {:.0f}%, "
      "compiled in {:.2f} s {:.2f}: {:.0f}%\n",
      size.name, name_of(size.type), size.extents[0], size.extents[1], size.extents[2], size.steps,
      rate_of(size, best[0]) / 1e9, operations, rate_of(size, best[1]) / 1e9, 100 * best[0] / best[1], compiling,
      rate_of(size, best[2]) / 1e9, 100 * best[0] / best[2]);
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 0;
  const std::string name = argc > 2 ? argv[2] : "all", only = name == "all" ? "" : name;
  const auto context = device::make_cpu_context(threads);
  fmt::print("{}\n", context->limits().name);
  constexpr auto f32 = ElementType::f32, f64 = ElementType::f64;
  const std::int64_t n = argc > 3 ? std::atoll(argv[3]) : 8192, m = n / 16;
  const Size sizes[] = {
      {"star2d", f32, {n, 1, n}, 2, 1, 64, 5},     {"star2d", f64, {n / 2, 1, n}, 2, 1, 64, 5},
      {"star2d", f32, {n, 1, n}, 2, 2, 32, 9},     {"star2d", f32, {n, 1, n}, 2, 4, 16, 17},
      {"star2d", f32, {n, 1, n}, 2, 8, 16, 33},    {"box2d", f32, {n, 1, n}, 2, 1, 32, 9},
      {"box2d", f64, {n / 2, 1, n}, 2, 1, 32, 9},  {"box2d", f32, {n, 1, n}, 2, 3, 16, 49},
      {"separable", f32, {n, 1, n}, 2, 1, 32, 6},  {"separable", f32, {n, 1, n}, 2, 2, 32, 10},
      {"separable", f32, {n, 1, n}, 2, 3, 16, 14}, {"separable", f32, {n, 1, n}, 2, 8, 16, 34},
      {"star3d", f32, {m, m, m}, 3, 1, 16, 7},     {"star3d", f64, {m / 2, m, m}, 3, 1, 16, 7},
      {"box3d", f32, {m, m, m}, 3, 1, 16, 27},     {"heat2d", f32, {n, 1, n}, 2, 1, 64, 5},
      {"heat2d", f64, {n / 2, 1, n}, 2, 1, 64, 5}, {"wave2d", f32, {n, 1, n}, 2, 1, 32, 7},
      {"fdtd2d", f32, {n, 1, n}, 2, 1, 32, 11},    {"star1d", f32, {n * n, 1, 1}, 1, 1, 64, 3},
  };
  const int used = context->limits().processors;
  if (only.empty() || only == "turns") {
    compare<float>({"star2d", f32, {n, 1, n}, 2, 1, 64, 5}, *context, used);
    compare<double>({"star2d", f64, {n / 2, 1, n}, 2, 1, 64, 5}, *context, used);
  }
  if (only.empty() || only == "loop") {
    for (const ElementType type : {f32, f64}) report_loop({"loop", type, {n, 1, n}, 2, 1, 16, 5}, used);
  }
  const terrace::test::TempFolder folder;
  compiled::Store store(folder / "modules");
  context->take_modules_from(&store);
  for (const WrittenAlike& alike : written_alike(n)) {
    if (!only.empty() && only != "formula") continue;
    if (alike.size.type == f32) compare_written<float>(alike, *context);
    else compare_written<double>(alike, *context);
  }
  for (const Size& size : sizes) {
    if (only.empty() || only == size.name) report(size, *context);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return terrace::benchmark_main([&] { return run(argc, argv); });
}
