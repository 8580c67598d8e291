// Nests on CUDA by warps that march, in windows of the size that jobs have, around their bands and groups.
#include <catch2/catch.hpp>

#include "kernels/nest/cuda/march_shape.hpp"
#include "tests/differential/nest/cases.hpp"
#include "tests/support/with_modules.hpp"

namespace terrace::nest {
namespace {

const NestMethod& march() { return *device::find_method(nest_methods(), device::Backend::cuda, "march"); }

std::vector<char> letters(i64 count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<char> all(static_cast<std::size_t>(count));
  for (char& one : all) one = static_cast<char>(random() % 4);
  return all;
}

/// Windows as they are for blocks of few rows, and of many.
enum class Windows { small, large };

/// Compares all arrays with the loops as written.
void check(NestSpec spec, device::Context& context, const std::vector<const void*>& inputs,
           const std::vector<i64>& sides, Windows windows) {
  INFO(spec.nest->canonical().substr(0, 60) << " in blocks of " << sides[0] << " x " << sides[1]);
  REQUIRE(march().unfit(spec, context.limits()).empty());
  const Made made = run_as_written(*spec.nest, inputs);
  REQUIRE(made.failure.kind == NestFailure::none);
  if (windows == Windows::large) spec.tile = {100, 100, 100, 100};
  const testing::Computed computed = testing::compute_by(march(), spec, context, inputs, sides);
  REQUIRE(computed.failure.kind == NestFailure::none);
  testing::check_equal(*spec.nest, made, computed);
}

void check_edits(device::Context& context, i64 rows, i64 columns, const std::vector<i64>& sides, Windows windows) {
  const std::vector<char> a = letters(rows, 1), b = letters(columns, 2);
  Written made;
  made.letters("a", rows).letters("b", columns).loop("i", "size(a)").loop("j", "size(b)");
  made.array("D", ElementType::i32, "", "i + j + 2");
  made.cell("D[i][j] = min(D[i-1][j-1] + (a[i] != b[j]), D[i-1][j] + 1, D[i][j-1] + 1)");
  check(testing::spec_of(made.text), context, {a.data(), b.data()}, sides, windows);
}

TEST_CASE("tables are marched around the sides of bands and chunks") {
  const test::WithModules with;
  if (with.context() == nullptr) return;
  struct Size {
    i64 rows, columns;
    Windows windows;
  };
  constexpr Size sizes[] = {{0, 5, Windows::small},     {1, 1, Windows::large},     {7, 3, Windows::small},
                            {257, 0, Windows::large},   {65, 133, Windows::small},  {64, 128, Windows::small},
                            {512, 124, Windows::large}, {511, 127, Windows::large}, {513, 5, Windows::large},
                            {600, 260, Windows::small}, {1030, 100, Windows::large}};
  for (const Size& size : sizes) check_edits(*with.context(), size.rows, size.columns, {10000, 10000}, size.windows);
  check_edits(*with.context(), 300, 150, {290, 64}, Windows::small);
  check_edits(*with.context(), 1100, 300, {1030, 250}, Windows::large);
  check_edits(*with.context(), 40, 70, {1, 1000}, Windows::small);
}

TEST_CASE("tables with three coordinates are marched around groups of levels") {
  const test::WithModules with;
  if (with.context() == nullptr) return;
  const auto check_three = [&](i64 levels, i64 rows, i64 columns, const std::vector<i64>& sides) {
    const std::vector<char> a = letters(levels, 1), b = letters(rows, 2), c = letters(columns, 3);
    Written made;
    made.letters("a", levels).letters("b", rows).letters("c", columns);
    made.loop("i", "size(a)").loop("j", "size(b)").loop("k", "size(c)").array("D", ElementType::i32, "", "i - j");
    made.cell(
        "D[i][j][k] = if(a[i] == b[j] && b[j] == c[k], D[i-1][j-1][k-1] + 1, "
        "max(D[i-1][j][k], D[i][j-1][k], D[i][j][k-1]))");
    check(testing::spec_of(made.text), *with.context(), {a.data(), b.data(), c.data()}, sides, Windows::large);
  };
  check_three(0, 5, 5, {100, 100, 100});
  check_three(1, 1, 1, {100, 100, 100});
  check_three(4, 128, 6, {100, 1000, 100});
  check_three(9, 131, 9, {100, 1000, 100});
  check_three(10, 60, 12, {5, 50, 5});
  if (!test::few_cases(*with.context())) check_three(70, 500, 300, {33, 300, 299});
}

TEST_CASE("sweeps in place are marched") {
  const test::WithModules with;
  if (with.context() == nullptr) return;
  const auto check_sor = [&](i64 size, i64 sweeps, const std::vector<i64>& sides) {
    std::vector<float> g(static_cast<std::size_t>(size * size));
    for (std::size_t n = 0; n < g.size(); ++n) g[n] = static_cast<float>(n * 2654435761u % 1000) / 1000;
    Written made;
    made.input("g", {size, size}).loop("t", std::to_string(sweeps));
    made.loop("i", "1", "size(g, 0) - 1").loop("j", "1", "size(g, 1) - 1").array("A", std::nullopt, "g");
    made.cell("A[i][j] = 0.2*A[i][j] + 0.2*A[i][j+1] + 0.2*A[i+1][j] + 0.2*A[i-1][j] + 0.2*A[i][j-1]");
    check(testing::spec_of(made.text), *with.context(), {g.data()}, sides, Windows::large);
  };
  check_sor(3, 2, {100, 100, 100});
  check_sor(40, 5, {100, 100, 100});
  check_sor(20, 9, {4, 100, 7});
  if (!test::few_cases(*with.context())) check_sor(600, 33, {10000, 10000, 10000});
}

TEST_CASE(
    "steps of a line and of a plane, copied back, are marched over bands and groups that read beyond their rims") {
  const test::WithModules with;
  if (with.context() == nullptr) return;
  std::vector<float> g(200 * 200);
  for (std::size_t n = 0; n < g.size(); ++n) g[n] = static_cast<float>(n * 2654435761u % 1000) / 1000;
  for (const testing::Storage storage : {testing::Storage::expanded, testing::Storage::given}) {
    const auto check_line = [&](i64 steps, i64 size, const std::vector<i64>& sides, Windows windows) {
      Written made;
      made.input("g", {size}).loop("t", std::to_string(steps)).loop("i", "1", "size(g) - 1");
      made.array("A", std::nullopt, "g").array("B", ElementType::f32, "").in_order(Order::statements);
      made.cell("B[i] = (A[i-1] + A[i] + A[i+1])*0.3").cell("A[i] = B[i]");
      check(testing::spec_of(made.text, false, storage), *with.context(), {g.data()}, sides, windows);
    };
    const auto check_plane = [&](i64 steps, i64 size, const std::vector<i64>& sides) {
      Written made;
      made.input("g", {size, size}).loop("t", std::to_string(steps));
      made.loop("i", "1", "size(g, 0) - 1").loop("j", "1", "size(g, 1) - 1");
      made.array("A", std::nullopt, "g").array("B", ElementType::f32, "").in_order(Order::statements);
      made.cell("B[i][j] = 0.2*(A[i][j] + A[i][j+1] + A[i+1][j] + A[i-1][j] + A[i][j-1])").cell("A[i][j] = B[i][j]");
      check(testing::spec_of(made.text, false, storage), *with.context(), {g.data()}, sides, Windows::large);
    };
    check_line(300, 60, {10000, 10000}, Windows::small);
    check_line(1100, 61, {10000, 10000}, Windows::large);
    check_line(300, 60, {140, 64}, Windows::small);
    check_plane(3, 30, {100, 100, 100});
    check_plane(9, 30, {4, 40, 33});
    // More groups than may be under way, of which most bands read nothing of the band above.
    check_plane(test::few_cases(*with.context()) ? 256 : 3000, 12, {10000, 10000, 10000});
    if (!test::few_cases(*with.context())) check_plane(12, 200, {10000, 10000, 10000});
  }
}

TEST_CASE("values that take two words, and those of several statements, are marched") {
  const test::WithModules with;
  if (with.context() == nullptr) return;
  Written reals;
  reals.loop("i", "270").loop("j", "23").array("A", ElementType::f64, "", "1.0/(i + j + 9)");
  reals.cell("A[i][j] = 0.3*A[i-1][j-2] + 0.5*A[i-2][j] + 0.1*A[i][j-3]");
  check(testing::spec_of(reals.text), *with.context(), {}, {200, 14}, Windows::large);
  Written several;
  several.loop("i", "70").loop("j", "31").array("E", ElementType::i16, "", "i - j");
  several.array("F", ElementType::u8, "", "7").array("H", ElementType::i32, "", "i + 2*j");
  several.cell("E[i][j] = max(E[i][j-1] % 90, H[i][j-1] % 77) - 2");
  several.cell("F[i][j] = abs(H[i-1][j] - F[i-1][j]) % 200");
  several.cell("H[i][j] = (H[i-1][j-1] + E[i][j] * 3 + F[i][j]) % 10007");
  check(testing::spec_of(several.text), *with.context(), {}, {1000, 1000}, Windows::large);
  check(testing::spec_of(several.text), *with.context(), {}, {33, 11}, Windows::small);
}

TEST_CASE("a nest that is not marched says why") {
  const auto why = [](const Written& made) { return march().unfit(testing::spec_of(made.text), {}); };
  if (device::find_method(nest_methods(), device::Backend::cuda, "march") == nullptr) return;
  Written row, far;
  row.loop("i", "9").array("A", ElementType::i32, "", "1").cell("A[i] = A[i-1] % 7");
  CHECK(why(row) == "it takes nests with 2 or 3 coordinates, and this one has 1");
  far.loop("i", "9")
      .loop("j", "9")
      .array("A", ElementType::i32, "", "1")
      .cell("A[i][j] = A[i-1][j] % 7 + A[i][j-5] % 3");
  CHECK(why(far).find("a dependence has 5 along coordinate 1") != std::string::npos);
}

/// Without a device, too: the compiler needs none.
TEST_CASE("kernels that march compile for CUDA") {
  if (!compiled::Compiler::why_missing().empty()) return;
  const compiled::Compiler compiler;
  std::mt19937 random(31);
  int count = 0;
  while (count < 3) {
    for (const testing::NestSample& sample : testing::samples_of_text(random)) {
      if (!CudaMarch::why_unfit(sample.spec, {}).empty()) continue;
      CHECK(compiler.compile(CudaMarch(sample.spec, {}).source(sample.spec), "sm_90").symbols.size() == 6);
      ++count;
    }
  }
}

}  // namespace
}  // namespace terrace::nest
