// The cases that all methods pass whose code is compiled at run time.
#pragma once

#include <catch2/catch.hpp>
#include <random>

#include "kernels/nest/tiling.hpp"
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

/// Nests over grids with rims, some in tiles of which nothing needs all.
template <class Change>
void check_grids(device::Context& context, int trials, const Change& change) {
  std::mt19937 random(5);
  int with_needless = 0;
  for (int trial = 0; trial < trials; ++trial) {
    for (NestSample& sample : samples_of_grid(random, 1 + trial % 2, grid_type(trial))) {
      change(sample.spec);
      check(sample, context, random);
      const int sides[] = {1, 1, 1, 1};  // the spec has its own
      if (Tiling(sample.spec, sides, false).needed_share(sample.spec) < 1) ++with_needless;
    }
  }
  CHECK(with_needless > 0);
}

/// Look-ups, statements for few cells, narrow types, products of which none is known to be within i64.
template <class Change>
void check_examples(device::Context& context, const Change& change) {
  std::mt19937 random(17);
  std::vector<char> letters(23);
  for (char& one : letters) one = static_cast<char>(random() % 4);
  const std::vector<std::int32_t> emission = {-1, -6, -6, -4, -6, -1, -4, -6, -6, -4, -1, -6};
  const std::vector<std::int32_t> series = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9};
  std::vector<Written> all(3);
  all[0].letters("a", 23).input("emission", {3, 4}, ElementType::i32).loop("t", "size(a)");
  all[0].loop("s", "size(emission, 0)").array("V", ElementType::i32, "", "if(s == 0 && t < 0, 0, -1000000)");
  all[0].cell("V[t][s] = max(V[t-1][s] - 1, V[t-1][s-1] - 3) + emission[s][a[t]]");
  all[1].input("x", {15}, ElementType::i32).input("y", {15}, ElementType::i32).loop("i", "15").loop("j", "15");
  all[1].array("L", ElementType::i16, "", "0").array("B", ElementType::u8, "", "0");
  all[1].cell("L[i][j] = if(x[i] == y[j], max(L[i-1][j], B[i][j] + 1), L[i-1][j])");
  all[1].cell({{"j", {"1"}}}, "B[i][j] = 0");
  all[1].cell({{"j", {"1", "15"}}}, "B[i][j] = max(B[i][j-1], if(x[i] > y[j-1], L[i-1][j-1], 0))");
  all[2].input("x", {15}, ElementType::i32).loop("t", "4").loop("i", "15").array("A", ElementType::i64, "", "i + 3");
  all[2].cell("A[t][i] = if(t > 2, A[t-1][i] / (i - 20), A[t-1][i] * A[t-1][i-1]) - abs(x[i]) % 5");
  const std::vector<std::vector<const void*>> inputs = {
      {letters.data(), emission.data()}, {series.data(), series.data()}, {series.data()}};
  for (std::size_t n = 0; n < all.size(); ++n) {
    NestSample sample{spec_of(all[n].text), {}, inputs[n], {}};
    sample.made = run_as_written(*sample.spec.nest, sample.inputs);
    REQUIRE(sample.made.failure.kind == NestFailure::none);
    change(sample.spec);
    check(sample, context, random);
    if (n != 2) continue;
    // Tiles whose values do not fit in the shared memory of a GPU.
    sample.spec.tile = {200, 200};
    for (const NestMethod* method : methods_for(sample.spec, context)) {
      check_equal(*sample.spec.nest, sample.made,
                  compute_by(*method, sample.spec, context, sample.inputs, {1000, 1000}));
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
  check_failure("D[i] = if(x[i] > 2, D[i-1] * (x[i] * 4611686018427387904), 1)", {1, 2, 3, 0});
  check_failure("D[i] = if(x[i] > 2, 7 % (x[i] - 3), 1 / x[i])", {1, 2, 3, 0});
  made.text.arrays[0].type = ElementType::u32;
  check_failure("D[i] = min(D[i-1], 100) - x[i]", {1, 2, 3, 98});
  made.text.arrays[0].type = ElementType::i8;
  made.text.arrays[0].outside = "100 / (i + 1)";
  check_failure("D[i] = D[i-1] + x[i]", {1, 2, 3, 4});
}

/// Of several cells without a value the first one in the order of coordinates, whatever the tiles and threads.
template <class Change>
void check_first_failure(device::Context& context, const Change& change) {
  constexpr i64 rows = 70, columns = 600;
  std::vector<std::int32_t> x(rows * columns, 7);
  // In the order of hyperplanes of tiles, and in each tile of those of cells, others come first.
  for (const auto& [row, column] : {std::pair{69, 0}, {6, 3}, {6, 0}, {5, 590}, {5, 500}})
    x[static_cast<std::size_t>(row * columns + column)] = 0;
  const std::vector<const void*> inputs = {x.data()};
  Written made;
  made.input("x", {rows, columns}, ElementType::i32).loop("i", "size(x, 0)").loop("j", "size(x, 1)");
  made.array("D", ElementType::i16, "", "3").array("E", ElementType::i32, "", "1");
  made.cell("D[i][j] = (D[i-1][j] + D[i][j-1]) % 5 + 3");
  made.cell("E[i][j] = 50 / x[i][j] + (D[i][j] + E[i-1][j] + E[i][j-1]) % 9");
  NestSpec spec = spec_of(made.text);
  spec.tile = {8, 8};
  change(spec);
  for (const NestMethod* method : methods_for(spec, context)) {
    const Computed computed = compute_by(*method, spec, context, inputs, {rows, columns});
    const std::string said = in_words(*spec.nest, computed.failure);
    INFO(method->name << ": " << said);
    CHECK(said.starts_with("E[5][500] at i = 5, j = 500, by "));
    CHECK(said.ends_with(": 50 / 0 divides by 0"));
  }
}

/// Of several elements that no statement writes and that have no value, the first.
template <class Change>
void check_first_failure_outside(device::Context& context, const Change& change) {
  std::vector<std::int32_t> x(20000, 1);
  x[15000] = x[8202] = x[500] = 0;
  const std::vector<const void*> inputs = {x.data()};
  Written made;
  made.input("x", {20000}, ElementType::i32).loop("t", "0").loop("i", "size(x)");
  made.array("A", ElementType::i32, "", "60 / x[i]").cell("A[i] = 1");
  NestSpec spec = spec_of(made.text);
  change(spec);
  for (const NestMethod* method : methods_for(spec, context)) {
    const Computed computed = compute_by(*method, spec, context, inputs, {10, 10});
    CHECK(in_words(*spec.nest, computed.failure) == "the `outside` of A[500]: 60 / 0 divides by 0");
  }
}

}  // namespace terrace::nest::testing
