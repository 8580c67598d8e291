// Nests on the CPU against the loops as they are written.
#include <catch2/catch.hpp>
#include <random>

#include "kernels/device/context.hpp"
#include "kernels/device/cpu_context.hpp"
#include "tests/differential/nest/cases.hpp"

namespace terrace::nest {
namespace {

using testing::check_equal;
using testing::Computed;
using testing::grid_type;
using testing::NestSample;
using testing::random_sides;
using testing::samples_of_grid;
using testing::samples_of_text;
using testing::spec_of;

Computed compute(const NestSpec& spec, const std::vector<const void*>& inputs, const std::vector<i64>& side,
                 int threads) {
  device::CpuContext context(threads);
  const NestMethod* method = device::find_method(nest_methods(), device::Backend::cpu, "cells");
  return testing::compute_by(*method, spec, context, inputs, side);
}

TEST_CASE("edit distance is the nest that everybody knows") {
  Written made;
  made.letters("a", 6).letters("b", 7).loop("i", "size(a)").loop("j", "size(b)");
  made.array("D", ElementType::i32, "", "i + j + 2");
  made.cell("D[i][j] = min(D[i-1][j-1] + (a[i] != b[j]), D[i-1][j] + 1, D[i][j-1] + 1)");
  NestSpec spec = spec_of(made.text);
  spec.kept[0].corner = true;
  spec.kept[0].best = -1;
  const char kitten[] = "kitten", sitting[] = "sitting";
  const std::vector<const void*> inputs = {kitten, sitting};
  const Made as_written = run_as_written(*spec.nest, inputs);
  CHECK(as_written.arrays[0].back().whole == 3);
  for (const i64 side : {1, 2, 3, 10}) {
    const Computed computed = compute(spec, inputs, {side, side}, 1);
    check_equal(*spec.nest, as_written, computed);
    int corners = 0;
    BestElement best{};
    for (const NestResult& result : computed.results) {
      corners += static_cast<int>(result.has_corner[0]);
      if (result.has_corner[0] != 0) CHECK(result.corner[0].whole == 3);
      if (result.best[0].is_found == 0) continue;
      Point at{};
      std::copy_n(result.best[0].at, most_coordinates, at.begin());
      offer(best, ElementType::i32, -1, at, result.best[0].value);
    }
    CHECK(corners == 1);
    CHECK(best.value.whole == 1);
    CHECK((best.at[0] == 0 && best.at[1] == 0));
  }
}

TEST_CASE("random nests equal the loops as written, in blocks and tiles of any size") {
  std::mt19937 random(11);
  int computed = 0, shifted = 0;
  for (int trial = 0; trial < 60; ++trial) {
    for (const NestSample& sample : samples_of_text(random)) {
      const NestSpec& spec = sample.spec;
      const std::vector<i64> small = random_sides(random, spec, 3), large(spec.skew.rank(), 1000);
      check_equal(*spec.nest, sample.made, compute(spec, {}, small, 1));
      check_equal(*spec.nest, sample.made, compute(spec, {}, large, 3));
      ++computed;
      for (const std::vector<i64>& shift : spec.skew.shifts) shifted += shift != std::vector<i64>(shift.size(), 0);
    }
  }
  CHECK(computed > 25);
  CHECK(shifted > 2);
}

TEST_CASE("nests over grids with rims, in parts, equal the loops as written") {
  std::mt19937 random(5);
  int computed = 0;
  for (int trial = 0; trial < 60; ++trial) {
    for (const NestSample& sample : samples_of_grid(random, 1 + trial % 2, grid_type(trial))) {
      const std::vector<i64> side = random_sides(random, sample.spec, 4);
      check_equal(*sample.spec.nest, sample.made, compute(sample.spec, sample.inputs, side, 2));
      ++computed;
    }
  }
  CHECK(computed > 80);
}

TEST_CASE("a cell without a value is named") {
  Written made;
  made.input("x", {4}, ElementType::i32).loop("i", "4").array("D", ElementType::i8, "", "100");
  const auto failure = [&](const std::string& cell, const std::vector<std::int32_t>& x) {
    Written one = made;
    const NestSpec spec = spec_of(one.cell(cell).text);
    const std::vector<const void*> inputs = {x.data()};
    const Made as_written = run_as_written(*spec.nest, inputs);
    const Computed computed = compute(spec, inputs, {2}, 2);
    CHECK(in_words(*spec.nest, as_written.failure) == in_words(*spec.nest, computed.failure));
    return in_words(*spec.nest, computed.failure);
  };
  CHECK(failure("D[i] = 7 / x[i]", {1, 2, 0, 0}) == "D[2] at i = 2, by 'D[i] = 7 / x[i]': 7 / 0 divides by 0");
  CHECK(failure("D[i] = D[i-1] + x[i]", {1, 2, 30, 0}) ==
        "D[2] at i = 2, by 'D[i] = D[i-1] + x[i]': 133 is beyond i8, the array's type");
  CHECK(failure("D[i] = x[x[i]]", {1, 2, 4, 0}) == "D[2] at i = 2, by 'D[i] = x[x[i]]': [4] is outside the input");
  CHECK(failure("D[i] = i32(1.0/x[i])", {1, 2, 0, 0}) ==
        "D[2] at i = 2, by 'D[i] = i32(1.0/x[i])': i32(inf) is no whole number of that type");
  made.text.arrays[0].outside = "100 / (i + 1)";
  CHECK(failure("D[i] = D[i-1] + x[i]", {1, 2, 3, 4}) == "the `outside` of D[-1]: 100 / 0 divides by 0");
}

TEST_CASE("of several cells without a value the first one is named, by one thread and by several") {
  for (const int threads : {1, 3}) {
    device::CpuContext context(threads);
    testing::check_first_failure(context, [](NestSpec&) {});
    testing::check_first_failure_outside(context, [](NestSpec&) {});
  }
}

TEST_CASE("empty nests leave what no statement writes") {
  Written made;
  const std::vector<float> g = {1, 2, 3};
  made.input("g", {3}).loop("t", "0").loop("i", "1", "2").array("A", std::nullopt, "g");
  made.cell("A[i] = (A[i-1] + A[i+1])/2");
  const NestSpec spec = spec_of(made.text);
  const std::vector<const void*> inputs = {g.data()};
  const Made as_written = run_as_written(*spec.nest, inputs);
  CHECK(as_written.arrays[0][1].real == 2);
  check_equal(*spec.nest, as_written, compute(spec, inputs, {5, 5}, 1));
}

}  // namespace
}  // namespace terrace::nest
