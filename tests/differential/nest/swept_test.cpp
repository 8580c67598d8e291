// Nests that are swept in place on CUDA by the kernels of sor and seidel, with the cell of the nest.
#include "kernels/nest/swept.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>

#include "kernels/in_place/cuda/sweep.hpp"
#include "kernels/in_place/cuda/written_source.hpp"
#include "kernels/in_place/methods.hpp"
#include "kernels/nest/distances.hpp"
#include "kernels/nest/reference.hpp"
#include "tests/differential/nest/nest_blocks.hpp"
#include "tests/support/in_place_grid.hpp"
#include "tests/support/in_place_samples.hpp"
#include "tests/support/nests.hpp"
#include "tests/support/with_modules.hpp"

namespace terrace::nest {
namespace {

using in_place::InPlaceSpec;
using in_place::InPlaceTrial;
using in_place::testing::InPlaceCase;

constexpr const char* five = "A[i][j] = w*A[i][j] + w*A[i][j+1] + w*A[i+1][j] + w*A[i-1][j] + w*A[i][j-1]";
constexpr const char* nine =
    "A[i][j] = (A[i-1][j-1] + A[i-1][j] + A[i-1][j+1] + A[i][j-1] + A[i][j] + A[i][j+1] + A[i+1][j-1] + A[i+1][j] + "
    "A[i+1][j+1])/9";
constexpr const char* branches =
    "A[i][j] = if(A[i-1][j+1] < A[i+1][j-1], 0.25*A[i][j] - max(A[i][j-1], A[i+1][j])/3, abs(A[i-1][j]) - "
    "0.5*A[i][j+1])";
constexpr const char* steps = "A[i][j] = min(A[i][j], A[i-1][j] + 1, A[i][j-1] + 1, A[i][j+1] + 1, A[i+1][j] + 1)";

/// A nest whose array A begins as an input of that type.
Written text_of(const std::string& cell, ElementType type, i64 rows, i64 columns, i64 sweeps) {
  Written made;
  made.input("g", {rows, columns}, type).number("w", "0.2").loop("t", std::to_string(sweeps));
  made.loop("i", "1", "size(g, 0) - 1").loop("j", "1", "size(g, 1) - 1").array("A", std::nullopt, "g").cell(cell);
  return made;
}

NestSpec kept_last(const Written& text) {
  NestSpec spec = testing::spec_of(text.text);
  spec.kept[0].last = true;
  return spec;
}

InPlaceSpec sweeps_of(const Swept& swept, ElementType type) {
  InPlaceSpec spec;
  spec.written =
      std::make_shared<in_place::WrittenCell>(in_place::WrittenCell{swept.cell, swept.corners, swept.operations});
  spec.rows = swept.rows;
  spec.columns = swept.columns;
  spec.value = type;
  return spec;
}

template <class T>
std::vector<T> values_of(i64 count) {
  std::vector<T> values = in_place::testing::in_place_values<T>(count, 7);
  // Whole numbers as `text_of` says that they are.
  for (T& value : values) {
    if constexpr (std::is_integral_v<T>) value %= 1000;
  }
  return values;
}

/// Compares the grid after all sweeps with the loops as written, to the bit.
template <class T>
void check(device::Context& context, const Written& text, const InPlaceCase& c, const InPlaceTrial& trial,
           std::int64_t parts) {
  const NestSpec nest = kept_last(text);
  INFO(nest.nest->statements[0].text << ", " << in_place::testing::name_of(c) << ", " << parts << " parts");
  const Swept found = swept(nest);
  REQUIRE(found.unfit.empty());
  REQUIRE(found.sweeps == c.sweeps);
  InPlaceSpec spec = sweeps_of(found, nest.nest->arrays[0].type);
  REQUIRE(size_of(spec.value) == sizeof(T));
  spec.slab_rows = c.slab_rows;
  spec.pass_sweeps = c.pass_sweeps;
  spec.parts = std::clamp<std::int64_t>(spec.slabs(), 1, parts);
  std::vector<T> grid = values_of<T>(c.rows * c.columns);
  const Made made = run_as_written(*nest.nest, {grid.data()});
  const device::Memory workspace(context, in_place::in_place_cuda_bytes(spec, context.limits(), trial));
  const auto sweep = in_place::make_in_place_cuda(spec, context, workspace.data(), trial);
  in_place::testing::InPlaceGrid(spec, context, *sweep).run(grid, c.sweeps, c.launch_slabs);
  std::size_t differing = 0;
  for (std::size_t n = 0; n < grid.size(); ++n) {
    const Word word = made.arrays[0][n];
    const T expected = std::is_integral_v<T> ? static_cast<T>(word.whole) : static_cast<T>(word.real);
    differing += std::memcmp(&grid[n], &expected, sizeof expected) != 0;
  }
  CHECK(differing == 0);
}

/// The least grids, sizes around lanes and bands, one slab and several, one pass and several, few sweeps and many.
std::vector<InPlaceCase> cases(bool few) {
  std::vector<InPlaceCase> all = {{3, 3, 1000, 2, 2},      {4, 33, 1000, 17, 17},    {33, 5, 1000, 3, 3},
                                  {150, 70, 18, 17, 35},   {149, 41, 40, 20, 41, 1}, {131, 40, 12, 3, 7, 2},
                                  {270, 240, 1000, 17, 17}};
  if (few) return all;
  for (const InPlaceCase& one : in_place::testing::in_place_cases()) {
    if (one.rows > 2 && one.columns > 2) all.push_back(one);
  }
  return all;
}

TEST_CASE("nests are swept in place as their loops are written") {
  const test::WithModules with;
  if (with.context() == nullptr) return;
  const auto check_cell = [&]<class T>(T, const char* cell, ElementType type) {
    for (const InPlaceCase& c : cases(test::few_cases(*with.context())))
      check<T>(*with.context(), text_of(cell, type, c.rows, c.columns, c.sweeps), c, {}, 1);
  };
  check_cell(float{}, five, ElementType::f32);
  check_cell(double{}, nine, ElementType::f64);
  check_cell(float{}, branches, ElementType::f32);
  check_cell(int{}, steps, ElementType::i32);
}

TEST_CASE("nests are swept in place in parts, in launches of their own, by few warps and with delays") {
  const test::WithModules with;
  if (with.context() == nullptr) return;
  for (const std::int64_t launch_slabs : {1, 3}) {
    const InPlaceCase c{150, 70, 18, 17, 34, launch_slabs};
    check<float>(*with.context(), text_of(five, ElementType::f32, c.rows, c.columns, c.sweeps), c, {}, 3);
    check<int>(*with.context(), text_of(steps, ElementType::i32, c.rows, c.columns, c.sweeps), c,
               {.thread_blocks = 2, .delay_seed = 9}, 2);
  }
}

TEST_CASE("loops may write beside their numbers, and several may count the sweeps") {
  const test::WithModules with;
  if (with.context() == nullptr) return;
  Written made;
  made.input("g", {60, 50}).loop("s", "2").loop("t", "1", "4").loop("i", "58").loop("j", "3", "51");
  made.array("A", std::nullopt, "g");
  made.cell("A[i+1][j-2] = 0.3*A[i+1][j-2] + 0.2*A[i][j-2] + 0.1*A[i+2][j-2] - 0.1*A[i+1][j-1] + 0.4*A[i+1][j-3]");
  check<float>(*with.context(), made, {60, 50, 1000, 6, 6}, {}, 1);
}

TEST_CASE("a nest that is not swept in place says why") {
  const auto why = [](const Written& made) { return swept(kept_last(made)).unfit; };
  const auto grid = [](const std::string& cell) { return text_of(cell, ElementType::f32, 9, 8, 3); };
  CHECK(why(grid(five)).empty());
  Written far = grid("A[i][j] = A[i][j-2] * 0.5");
  far.text.arrays[0].outside = "0";
  CHECK(why(far) == "its cells read the 3 x 3 cells around them, and this nest reads A[i][j-2]");
  CHECK(why(grid("A[i][j] = g[i][j] * A[i][j]")) == "its cells read the array alone, and this nest reads g[i][j]");
  CHECK(why(grid("A[i][j] = A[i][j] + j")) == "its cells know neither their places nor tables");
  CHECK(why(text_of("A[i][j] = A[i][j] * A[i][j] * A[i-1][j]", ElementType::i32, 9, 8, 30)) ==
        "its cells must have a value whatever they read: these may leave their type");
  CHECK(why(text_of("A[i][j] = A[i][j] + 1", ElementType::i16, 9, 8, 3)) ==
        "it sweeps arrays of i32, f32 and f64, and this one has i16");
  CHECK(why(text_of(five, ElementType::f32, 2, 8, 3)) == "there are no cells");
  CHECK(why(text_of(five, ElementType::f32, 9, 8, 0)) == "there are no cells");
  Written part = grid(five);
  part.text.cells[0].ranges = {{"i", {"1", "7"}}};
  CHECK(why(part) ==
        "it sweeps all elements but the first and last row and column, [1, 8) x [1, 7), and this nest writes [1, 7) "
        "x [1, 7)");
  Written table;
  table.loop("i", "9").loop("j", "9").array("A", ElementType::f32, "", "1").cell("A[i][j] = A[i-1][j] * 0.5");
  CHECK(why(table) == "it sweeps an array in place that has two axes, the last two loops");
  Written outside;
  outside.loop("t", "3").loop("i", "1", "8").loop("j", "1", "8").array("A", ElementType::f32, "", "1").cell(five);
  outside.number("w", "0.2");
  CHECK(why(outside) == "it sweeps an array whose first elements are an input's (`from`)");
  NestSpec best = kept_last(grid(five));
  best.kept[0].best = 1;
  CHECK(swept(best).unfit == "it keeps the array alone: neither its corner nor its best element");
}

TEST_CASE("a cell with more operations is expected to take longer, and the CPU computes none") {
  const auto cost = [](const char* cell) {
    InPlaceSpec spec = sweeps_of(swept(kept_last(text_of(cell, ElementType::f32, 4096, 4096, 64))), ElementType::f32);
    spec.pass_sweeps = 64;
    device::Limits limits;
    limits.processors = 132;
    return in_place::cost_of(spec, device::Backend::cuda, limits).seconds;
  };
  const std::string longer = std::string(five) + " + 0.1*A[i-1][j]*A[i][j] - 0.2*A[i][j-1]*A[i][j]";
  CHECK(cost(longer.c_str()) > 1.2 * cost(five));
  const InPlaceSpec spec = sweeps_of(swept(kept_last(text_of(five, ElementType::f32, 9, 9, 1))), ElementType::f32);
  for (const in_place::InPlaceMethod& method : in_place::in_place_methods())
    CHECK(method.unfit(spec, {}).empty() == (method.backend == device::Backend::cuda));
}

/// Without a device, too: the compiler needs none.
TEST_CASE("kernels that sweep nests compile for CUDA") {
  if (!compiled::Compiler::why_missing().empty()) return;
  const compiled::Compiler compiler;
  for (const ElementType type : {ElementType::f32, ElementType::f64, ElementType::i32}) {
    const bool is_real = is_floating(type);
    const InPlaceSpec spec = sweeps_of(swept(kept_last(text_of(is_real ? branches : steps, type, 9, 9, 1))), type);
    for (const auto group : {InPlaceTrial::Group::few, InPlaceTrial::Group::many}) {
      const auto shape = in_place::in_place_shape(spec, {.group = group});
      CHECK(compiler.compile(in_place::written_source(spec, shape), "sm_90").symbols.size() == 3);
    }
  }
}

}  // namespace
}  // namespace terrace::nest
