// Sets of rows beside sets of numbers.
#include "kernels/graph/rows.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <set>

namespace terrace::graph {
namespace {

std::set<i64> numbers_of(const Rows& rows) {
  std::set<i64> all;
  for (const Range& range : rows.ranges()) {
    for (i64 row = range.begin; row < range.end; ++row) all.insert(row);
  }
  return all;
}

TEST_CASE("sets of rows hold what was added, in ranges that do not meet") {
  std::mt19937 random(1);
  const auto drawn = [&](i64 first, i64 last) { return std::uniform_int_distribution<i64>(first, last)(random); };
  for (int turn = 0; turn < 500; ++turn) {
    Rows rows;
    std::set<i64> expected;
    for (int n = 0; n < 6; ++n) {
      const i64 begin = drawn(0, 40), end = begin + drawn(-1, 8);
      rows.add({begin, end});
      for (i64 row = begin; row < end; ++row) expected.insert(row);
    }
    CHECK(numbers_of(rows) == expected);
    CHECK(rows.size() == static_cast<i64>(expected.size()));
    for (std::size_t n = 1; n < rows.ranges().size(); ++n) CHECK(rows.ranges()[n - 1].end < rows.ranges()[n].begin);
  }
}

TEST_CASE("rows outside of an array are those that its boundary means") {
  for (const Boundary boundary :
       {Boundary::symmetric, Boundary::edge, Boundary::reflect, Boundary::periodic, Boundary::value}) {
    for (const i64 extent : {1, 2, 3, 7}) {
      for (i64 begin = -25; begin < 25; ++begin) {
        for (i64 end = begin; end < 30; ++end) {
          Rows rows;
          rows.add_inside({begin, end}, extent, boundary);
          std::set<i64> expected;
          for (i64 row = begin; row < end; ++row) expected.insert(index_inside(row, extent, boundary));
          expected.erase(outside);
          if (numbers_of(rows) != expected) {
            FAIL_CHECK("boundary " << static_cast<int>(boundary) << ", extent " << extent << ", rows " << begin
                                   << " to " << end);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace terrace::graph
