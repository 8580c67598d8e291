// Nests on CUDA that are tables of two sequences or series, by the kernel of such tables.
#include <catch2/catch.hpp>
#include <random>

#include "kernels/nest/pair_table.hpp"
#include "tests/differential/nest/nest_blocks.hpp"
#include "tests/support/nests.hpp"
#include "tests/support/with_modules.hpp"

namespace terrace::nest {
namespace {

const NestMethod& method(const char* name) {
  return *device::find_method(nest_methods(), device::Backend::cuda, name);
}

/// A table over two inputs of `letters` codes each.
Written over_letters(i64 rows, i64 columns, const std::string& outside, const std::string& cell,
                     ElementType type = ElementType::i32) {
  Written made;
  made.letters("a", rows).letters("b", columns).loop("i", "size(a)").loop("j", "size(b)");
  return made.array("D", type, "", outside).cell(cell);
}

const char* const edits = "D[i][j] = min(D[i-1][j-1] + (a[i] != b[j]), D[i-1][j] + 1, D[i][j-1] + 1)";
const char* const common = "D[i][j] = if(a[i] == b[j], D[i-1][j-1] + 1, max(D[i-1][j], D[i][j-1]))";
const char* const scores = "D[i][j] = max(D[i-1][j-1] + if(a[i] == b[j], 5, -4), D[i-1][j] - 3, D[i][j-1] - 2)";
const char* const sums = "D[i][j] = (3*D[i-1][j-1] + 2*D[i-1][j] + D[i][j-1] + abs(a[i] - 2*b[j])) % 1009";

/// Letters below `letters`, or values.
template <class T>
std::vector<T> items(i64 count, unsigned letters, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> all(static_cast<std::size_t>(count));
  for (T& one : all)
    one = static_cast<T>(letters > 0 ? static_cast<double>(random() % letters)
                                     : static_cast<double>(random() % 100000) * 0.37);
  return all;
}

/// Compares the last row and the corner with the loops as written.
template <class T>
void check(device::Context& context, const Written& text, i64 rows, i64 columns, const std::vector<i64>& sides,
           unsigned letters, const char* by = "bands") {
  NestSpec spec = testing::spec_of(text.text);
  INFO(spec.nest->statements[0].text << ", " << rows << " x " << columns << " in blocks of " << sides[0] << " x "
                                     << sides[1]);
  spec.kept[0].last = spec.kept[0].corner = true;
  REQUIRE(method(by).unfit(spec, context.limits()) == "");
  const std::vector<T> a = items<T>(rows, letters, 1), b = items<T>(columns, letters, 2);
  const std::vector<const void*> inputs = {a.data(), b.data()};
  const Made made = run_as_written(*spec.nest, inputs);
  REQUIRE(made.failure.kind == NestFailure::none);
  // The harness has the last row of the table alone.
  const std::size_t last = made.arrays[0].size() - static_cast<std::size_t>(spec.nest->arrays[0].box[1].size());
  const testing::Computed computed = testing::compute_by(method(by), spec, context, inputs, sides);
  std::size_t differing = 0, corners = 0;
  for (std::size_t n = last; n < made.arrays[0].size(); ++n)
    differing += std::memcmp(&made.arrays[0][n], &computed.arrays[0][n], sizeof(Word)) != 0;
  CHECK(differing == 0);
  for (const NestResult& result : computed.results) {
    if (result.has_corner[0] == 0) continue;
    ++corners;
    CHECK(result.corner[0].whole == made.arrays[0].back().whole);
  }
  CHECK(corners == 1);
}

TEST_CASE("tables of letters are made in bands around their sides, and in blocks") {
  const test::WithModules with;
  if (with.context() == nullptr) return;
  struct Size {
    i64 rows, columns;
    std::vector<i64> sides;
  };
  const std::vector<Size> sizes = {{2, 2, {10, 10}},        {2, 70, {10, 100}},      {255, 3, {1000, 100}},
                                   {256, 64, {1000, 1000}}, {257, 33, {1000, 1000}}, {300, 400, {290, 130}},
                                   {600, 259, {256, 64}},   {40, 70, {1, 1000}},     {70, 40, {1000, 1}}};
  for (const Size& size : sizes) {
    const auto check_cell = [&](const char* outside, const char* cell, unsigned letters, ElementType type) {
      check<unsigned char>(*with.context(), over_letters(size.rows, size.columns, outside, cell, type), size.rows,
                           size.columns, size.sides, letters);
    };
    check_cell("i + j + 2", edits, 4, ElementType::i32);
    check_cell("i + j + 2", edits, 15, ElementType::i64);
    check_cell("0", common, 4, ElementType::i32);
    check_cell("-3*i - 2*j - 5", scores, 15, ElementType::i32);
    check_cell("(i - 2*j) % 7", sums, 15, ElementType::i16);
  }
}

TEST_CASE("tables of series are made in bands") {
  const test::WithModules with;
  if (with.context() == nullptr) return;
  const auto check_series = [&](i64 rows, i64 columns, const std::vector<i64>& sides) {
    Written made;
    made.input("x", {rows}).input("y", {columns}).loop("i", "size(x)").loop("j", "size(y)");
    made.array("D", ElementType::f32, "", "if(i + j < -1, 0, 1000000000)");
    made.cell("D[i][j] = abs(x[i] - y[j]) + min(D[i-1][j-1], D[i-1][j], D[i][j-1])*0.75");
    check<float>(*with.context(), made, rows, columns, sides, 0);
  };
  check_series(2, 2, {10, 10});
  check_series(300, 270, {1000, 1000});
  check_series(259, 131, {200, 50});
}

TEST_CASE("marches give the same as bands") {
  const test::WithModules with;
  if (with.context() == nullptr) return;
  const Written text = over_letters(300, 130, "-3*i - 2*j - 5", scores);
  for (const char* name : {"bands", "march"})
    check<unsigned char>(*with.context(), text, 300, 130, {170, 70}, 4, name);
}

TEST_CASE("loops of tables may begin anywhere, and read and write beside their numbers") {
  const test::WithModules with;
  if (with.context() == nullptr) return;
  Written made;
  made.letters("a", 90).letters("b", 120).loop("i", "1", "91").loop("j", "2", "118");
  made.array("D", ElementType::i32, "", "2*i - j");
  made.cell("D[i+1][j-1] = min(D[i][j-2] + (a[i-1] != b[j+2]), D[i][j-1] + 1, D[i+1][j-2] + 1)");
  check<unsigned char>(*with.context(), made, 90, 120, {1000, 1000}, 4);
  check<unsigned char>(*with.context(), made, 90, 120, {37, 50}, 4);
}

TEST_CASE("a nest that is no table of two sequences says why") {
  const auto why = [](const Written& made) {
    NestSpec spec = testing::spec_of(made.text);
    spec.kept[0].last = true;
    return pair_table(spec).unfit;
  };
  const auto table = [](const std::string& cell, const std::string& outside = "i + j + 2") {
    return over_letters(20, 30, outside, cell);
  };
  CHECK(why(table(edits)).empty());
  // The kernel adds scores to the value before both in a way of its own, if a cell uses their sum alone.
  const auto joins = [](const Written& made) {
    NestSpec spec = testing::spec_of(made.text);
    return pair_table(spec).problem.find("score_joins_diagonal") != std::string::npos;
  };
  CHECK((joins(table(edits)) && joins(table(scores, "-3*i - 2*j - 5")) && !joins(table(common, "0"))));
  CHECK(why(table("D[i][j] = min(D[i-2][j-1] + (a[i] != b[j]), D[i-1][j] + 1, D[i][j-1] + 1)")) ==
        "its cells read their neighbours in both directions");
  CHECK(why(table("D[i][j] = (D[i-1][j-1] + D[i-1][j] * a[i] + D[i][j-1] * b[j]) % 1009")) ==
        "its items give one number to what the neighbours give");
  CHECK(why(table("D[i][j] = min(D[i-1][j-1] + (a[i] != b[j]), D[i-1][j] + j % 7, D[i][j-1] + 1)")) ==
        "its cells know neither their places nor tables");
  CHECK(why(table("D[i][j] = min(D[i-1][j-1] + 1, D[i-1][j] + 1, D[i][j-1] + 1)")) ==
        "its cells read an item of their row and of their column");
  CHECK(why(table("D[i][j] = D[i-1][j-1] * 3 + (a[i] != b[j]) + D[i-1][j] + D[i][j-1]")) ==
        "its cells must have a value whatever they read: these may leave their type");
  CHECK(why(table(edits, "a[0]")) == "what is around its table depends on subscripts alone");
  CHECK(why(over_letters(1, 30, "i + j + 2", edits)) == "its cells read their neighbours in both directions");
  NestSpec kept = testing::spec_of(table(edits).text);
  kept.kept[0].table = true;
  CHECK(pair_table(kept).unfit == "it keeps the last row and the last element alone");
}

}  // namespace
}  // namespace terrace::nest
