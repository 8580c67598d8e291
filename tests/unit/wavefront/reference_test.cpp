// Tables worked by hand.
#include "kernels/wavefront/reference/reference.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/wavefront/problem_list.hpp"

namespace terrace::wavefront {
namespace {

std::vector<std::uint8_t> letters(std::string_view text) { return {text.begin(), text.end()}; }

template <class P>
ReferenceTable<i64> table_of(const typename P::template Constants<i64>& k, std::string_view rows,
                             std::string_view columns) {
  return letters_reference<P>(k, letters(rows), letters(columns));
}

TEST_CASE("edit distance of SAT and SUN, and of an empty word") {
  const auto table = table_of<EditDistance>({0, 1, 1}, "SAT", "SUN");
  CHECK(table.h == std::vector<i64>{0, 1, 2,  //
                                    1, 1, 2,  //
                                    2, 2, 2});
  CHECK(table.score == 2);
  CHECK(table.row == 3);
  CHECK(table_of<EditDistance>({0, 1, 1}, "", "SUN").score == 3);
  CHECK(table_of<EditDistance>({0, 1, 1}, "SATE", "").score == 4);
  CHECK(table_of<EditDistance>({0, 1, 1}, "", "").score == 0);
}

TEST_CASE("longest common subsequence of ABCB and BDCB") {
  const auto table = table_of<Lcs>({1, 0}, "ABCB", "BDCB");
  CHECK(table.h == std::vector<i64>{0, 0, 0, 0,  //
                                    1, 1, 1, 1,  //
                                    1, 1, 2, 2,  //
                                    1, 1, 2, 3});
  CHECK(table.score == 3);
  CHECK(table_of<Lcs>({1, 0}, "", "AB").score == 0);
}

TEST_CASE("local alignment of ACC and GACC with linear gaps") {
  // match 2, mismatch -1, gap 1
  const auto table = table_of<SmithWatermanLinear>({2, -1, 1}, "ACC", "GACC");
  CHECK(table.h == std::vector<i64>{0, 2, 1, 0,  //
                                    0, 1, 4, 3,  //
                                    0, 0, 3, 6});
  CHECK(table.score == 6);
  CHECK(table.row == 3);
  CHECK(table.column == 4);
}

TEST_CASE("local alignment of AB and AXB with affine gaps opens one gap when that pays") {
  // match 5, mismatch -9, a gap of k costs 1 + k: first 2, next 1. A=A 5, then a gap of X costs 2: 3, then B=B: 8.
  const auto table = table_of<SmithWatermanAffine>({5, -9, 2, 1}, "AB", "AXB");
  CHECK(table.h == std::vector<i64>{5, 3, 2,  //
                                    3, 1, 8});
  CHECK(table.score == 8);
}

TEST_CASE("global alignment of AC and AGC, and of an empty word") {
  // match 1, mismatch -1, gap 2: A=A 1, a gap of G -1, C=C 0.
  const auto table = table_of<NeedlemanWunschLinear>({1, -1, 2}, "AC", "AGC");
  CHECK(table.h == std::vector<i64>{1, -1, -3,  //
                                    -1, 0, 0});
  CHECK(table.score == 0);
  CHECK(table.row == 2);
  CHECK(table.column == 3);
  CHECK(table_of<NeedlemanWunschLinear>({1, -1, 2}, "", "AGC").score == -6);
  CHECK(table_of<NeedlemanWunschLinear>({1, -1, 2}, "AGCA", "").score == -8);
  CHECK(table_of<NeedlemanWunschLinear>({1, -1, 2}, "", "").score == 0);
}

TEST_CASE("global alignment with affine gaps: one long gap costs less than two, also at the border") {
  // Costs alone: mismatch 4, a gap of k letters 6 + 2 k.
  const NeedlemanWunschAffine::Constants<i64> k{0, -4, 8, 2};
  const auto table = table_of<NeedlemanWunschAffine>(k, "AB", "AXYB");
  CHECK(table.h == std::vector<i64>{0, -8, -10, -12,  //
                                    -8, -4, -12, -10});
  CHECK(table.score == -10);
  CHECK(table_of<NeedlemanWunschAffine>(k, "", "AXYB").score == -14);
  CHECK(table_of<NeedlemanWunschAffine>(k, "AAA", "AAAT").score == -8);
  CHECK(table_of<NeedlemanWunschAffine>(k, "TAAA", "AAA").score == -8);
}

TEST_CASE("free ends: what hangs over costs nothing, and an alignment of nothing ends before the last columns") {
  using P = NeedlemanWunschLinear;
  const auto align = [](std::string_view rows, std::string_view columns, bool free_rows, bool free_columns) {
    const auto table = table_of<P>({1, -1, 2, free_rows, free_columns}, rows, columns);
    return std::vector<i64>{table.score, table.row, table.column};
  };
  CHECK(align("CG", "ACGT", false, true) == std::vector<i64>{2, 2, 3});
  CHECK(align("CG", "ACGT", true, false) == std::vector<i64>{-2, 2, 4});
  CHECK(align("ACGT", "CG", true, false) == std::vector<i64>{2, 3, 2});
  CHECK(align("TTCG", "CGAA", true, true) == std::vector<i64>{2, 4, 2});
  CHECK(align("CGAA", "TTCG", true, true) == std::vector<i64>{2, 2, 4});
  CHECK(align("ACAC", "AC", true, true) == std::vector<i64>{2, 2, 2});
  CHECK(align("A", "TTT", true, true) == std::vector<i64>{0, 0, 3});
  CHECK(align("A", "TTT", false, true) == std::vector<i64>{-1, 1, 1});
  CHECK(align("AAA", "T", false, true) == std::vector<i64>{-5, 3, 1});
  CHECK(align("", "TTT", false, true) == std::vector<i64>{0, 0, 0});
  CHECK(align("", "TTT", true, false) == std::vector<i64>{-6, 0, 3});
  CHECK(align("AA", "", true, true) == std::vector<i64>{0, 0, 0});
}

TEST_CASE("longer gaps cost less to go on than to open again") {
  // match 9, mismatch -9, first 4, next 1: A, then a gap of three letters: 4 + 1 + 1, then B.
  const auto table = table_of<SmithWatermanAffine>({9, -9, 4, 1}, "AB", "AXYZB");
  CHECK(table.h == std::vector<i64>{9, 5, 4, 3, 2,  //
                                    5, 1, 0, 0, 12});
  CHECK(table.score == 12);
  CHECK(table.column == 5);
}

TEST_CASE("of equal scores the smallest row, then the smallest column, is the end; no score ends at the origin") {
  const auto ties = table_of<SmithWatermanLinear>({1, -1, 1}, "XAYA", "ABA");
  CHECK(ties.score == 1);
  CHECK(ties.row == 2);
  CHECK(ties.column == 1);
  const auto none = table_of<SmithWatermanAffine>({1, -1, 1, 1}, "AAA", "TTT");
  CHECK(none.score == 0);
  CHECK(none.row == 0);
  CHECK(none.column == 0);
}

template <class P>
ReferenceTable<double> warp(const std::vector<double>& rows, const std::vector<double>& columns) {
  return values_reference<P, double>({}, rows, columns);
}

TEST_CASE("time warping of three values to three, whose costs are 1 2 2, 2 1 1 and 4 1 1") {
  const std::vector<double> rows{2, 3, 5}, columns{1, 4, 4};
  CHECK(warp<DtwAbsolute1>(rows, columns).h == std::vector<double>{1, 3, 5,  //
                                                                   3, 2, 3,  //
                                                                   7, 3, 3});
  CHECK(warp<DtwAbsolute2>(rows, columns).h == std::vector<double>{1, 3, 5,  //
                                                                   3, 3, 4,  //
                                                                   7, 4, 5});
  CHECK(warp<DtwSquared1>(rows, columns).h == std::vector<double>{1, 5, 9,  //
                                                                  5, 2, 3,  //
                                                                  21, 3, 3});
  CHECK(warp<DtwSquared2>(rows, columns).h == std::vector<double>{1, 5, 9,  //
                                                                  5, 3, 4,  //
                                                                  21, 4, 5});
  CHECK(warp<DtwAbsolute2>(rows, columns).score == 5);
  CHECK(warp<DtwAbsolute2>({2}, {5}).score == 3);
  CHECK(warp<DtwAbsolute1>({}, {5}).score == infinity);
  CHECK(values_reference<DtwAbsolute1, double>({1}, rows, columns).h == std::vector<double>{1, 3, infinity,  //
                                                                                            3, 2, 3,         //
                                                                                            infinity, 3, 3});
}

/// The least cost of warping `rows` to a part of `columns`, and the first end of such a part.
template <class P>
std::pair<double, i64> least_of_parts(const std::vector<double>& rows, const std::vector<double>& columns) {
  std::pair<double, i64> least{infinity, 0};
  for (auto end = columns.begin() + 1; end <= columns.end(); ++end) {
    for (auto begin = columns.begin(); begin < end; ++begin) {
      const double cost = warp<P>(rows, std::vector<double>(begin, end)).score;
      if (cost < least.first) least = {cost, end - columns.begin()};
    }
  }
  return least;
}

TEST_CASE("time warping with free columns is the least of all parts of the columns") {
  std::mt19937 random(4);
  const auto draw = [&](std::size_t count) {
    std::vector<double> series(count);
    for (double& value : series) value = static_cast<double>(random() % 6);
    return series;
  };
  for (int turn = 0; turn < 60; ++turn) {
    const auto rows = draw(1 + random() % 6), columns = draw(1 + random() % 12);
    const auto check = [&]<class P>(P) {
      const auto found = values_reference<P, double>({no_window, true}, rows, columns);
      const auto [cost, end] = least_of_parts<P>(rows, columns);
      CHECK(found.score == cost);
      CHECK(found.row == std::ssize(rows));
      CHECK(found.column == end);
    };
    check(DtwAbsolute1{});
    check(DtwAbsolute2{});
    check(DtwSquared1{});
    check(DtwSquared2{});
  }
}

TEST_CASE("summed area of three by three values") {
  const std::vector<int> grid{1, 2,  3,  //
                              4, -5, 6,  //
                              7, 8,  9};
  const auto table = grid_reference<SummedArea, i64>({0}, std::span<const int>(grid), 3, 3);
  CHECK(table.h == std::vector<i64>{1, 3, 6,   //
                                    5, 2, 11,  //
                                    12, 17, 35});
  CHECK(table.score == 35);
  CHECK(grid_reference<SummedArea, i64>({0}, std::span<const int>(), 0, 3).h.empty());
}

}  // namespace
}  // namespace terrace::wavefront
