// The cases that all methods pass whose code is compiled at run time.
#pragma once

#include <catch2/catch.hpp>
#include <random>

#include "tests/differential/nest/samples.hpp"

namespace terrace::nest::testing {

/// Compares all methods with the loops as written, in tiles of some size.
inline void check(NestSample& sample, device::Context& context, std::mt19937& random) {
  for (std::size_t n = 0; n < sample.spec.skew.rank(); ++n) sample.spec.tile[n] = 1 + static_cast<i64>(random() % 7);
  const std::vector<i64> sides = random_sides(random, sample.spec, 3);
  for (const NestMethod* method : methods_for(sample.spec, context)) {
    INFO(method->name << ", skew " << sample.spec.skew.in_words());
    check_equal(*sample.spec.nest, sample.made, compute_by(*method, sample.spec, context, sample.inputs, sides));
  }
}

/// The table of edit distances, its corner and its largest element. @param change of the spec
template <class Change>
void check_edit_distance(device::Context& context, const Change& change) {
  std::mt19937 random(3);
  std::vector<char> a(150), b(90);
  for (char& one : a) one = static_cast<char>(random() % 4);
  for (char& one : b) one = static_cast<char>(random() % 4);
  Written made;
  made.letters("a", 150).letters("b", 90).loop("i", "size(a)").loop("j", "size(b)");
  made.array("D", ElementType::i32, "", "i + j + 2");
  made.cell("D[i][j] = min(D[i-1][j-1] + (a[i] != b[j]), D[i-1][j] + 1, D[i][j-1] + 1)");
  NestSpec spec = spec_of(made.text);
  change(spec);
  spec.kept[0].corner = true;
  spec.kept[0].best = 1;
  const std::vector<const void*> inputs = {a.data(), b.data()};
  const Made as_written = run_as_written(*spec.nest, inputs);
  for (const NestMethod* method : methods_for(spec, context)) {
    const Computed computed = compute_by(*method, spec, context, inputs, {100, 80});
    check_equal(*spec.nest, as_written, computed);
    BestElement best{}, expected{};
    for (const NestResult& result : computed.results) {
      if (result.has_corner[0] != 0) CHECK(result.corner[0].whole == as_written.arrays[0].back().whole);
      Point at{};
      std::copy_n(result.best[0].at, most_coordinates, at.begin());
      if (result.best[0].is_found != 0) offer(best, ElementType::i32, 1, at, result.best[0].value);
    }
    CHECK(std::count_if(computed.results.begin(), computed.results.end(),
                        [](const NestResult& one) { return one.has_corner[0] != 0; }) == 1);
    for (i64 index = 0; index < 150 * 90; ++index) {
      offer(expected, ElementType::i32, 1, {index / 90, index % 90},
            as_written.arrays[0][static_cast<std::size_t>(index)]);
    }
    CHECK(best.value.whole == expected.value.whole);
    CHECK((best.at[0] == expected.at[0] && best.at[1] == expected.at[1]));
  }
}

/// Random nests in blocks and tiles of any size.
template <class Change>
void check_random_nests(device::Context& context, int most, const Change& change) {
  std::mt19937 random(11);
  int computed = 0;
  while (computed < most) {
    for (NestSample& sample : samples_of_text(random)) {
      change(sample.spec);
      check(sample, context, random);
      ++computed;
    }
  }
}

/// Nests over grids with rims.
template <class Change>
void check_grids(device::Context& context, int trials, const Change& change) {
  std::mt19937 random(5);
  for (int trial = 0; trial < trials; ++trial) {
    for (NestSample& sample : samples_of_grid(random, 1 + trial % 2, grid_type(trial))) {
      change(sample.spec);
      check(sample, context, random);
    }
  }
}

/// Cells without a value, by name.
template <class Change>
void check_failures(device::Context& context, const Change& change) {
  Written made;
  made.input("x", {4}, ElementType::i32).loop("i", "4").array("D", ElementType::i8, "", "100");
  const auto check_failure = [&](const std::string& cell, const std::vector<std::int32_t>& x) {
    Written one = made;
    NestSpec spec = spec_of(one.cell(cell).text);
    change(spec);
    const std::vector<const void*> inputs = {x.data()};
    const Made as_written = run_as_written(*spec.nest, inputs);
    REQUIRE(as_written.failure.kind != NestFailure::none);
    for (const NestMethod* method : methods_for(spec, context)) {
      const Computed computed = compute_by(*method, spec, context, inputs, {2});
      CHECK(in_words(*spec.nest, as_written.failure) == in_words(*spec.nest, computed.failure));
    }
  };
  check_failure("D[i] = 7 / x[i]", {1, 2, 0, 0});
  check_failure("D[i] = D[i-1] + x[i]", {1, 2, 30, 0});
  check_failure("D[i] = x[x[i]]", {1, 2, 4, 0});
  check_failure("D[i] = i32(1.0/x[i])", {1, 2, 0, 0});
  made.text.arrays[0].outside = "100 / (i + 1)";
  check_failure("D[i] = D[i-1] + x[i]", {1, 2, 3, 4});
}

}  // namespace terrace::nest::testing
