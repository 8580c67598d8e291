// The pairs of a step that have an item too long for lanes, against a look at every entry.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <vector>

#include "stages/wavefront/pairs/long_pairs.hpp"

namespace terrace::stages {
namespace {

std::shared_ptr<const io::ItemSet> items_of(const std::vector<std::int64_t>& lengths) {
  std::vector<std::int64_t> begin{0};
  for (const std::int64_t length : lengths) begin.push_back(begin.back() + length);
  return std::make_shared<io::ItemSet>(begin, io::NodeNames(0, std::ssize(lengths)));
}

constexpr std::int64_t most = 7;  // elements of an item that lanes take

struct Sides {
  std::shared_ptr<const io::ItemSet> rows, columns;

  bool is_long(const ItemPair& pair) const { return rows->length(pair[0]) > most || columns->length(pair[1]) > most; }
};

void check(const Sides& sides, const Entries& entries) {
  const LongPairs found(sides.rows, sides.columns, entries, most);
  std::vector<std::int64_t> expected;
  for (std::int64_t entry = 0; entry < entries.count(); ++entry) {
    CHECK(found.before(entry) == std::ssize(expected));
    if (sides.is_long(entries.pair(entry))) expected.push_back(entry);
  }
  REQUIRE(found.count() == std::ssize(expected));
  CHECK(found.before(entries.count()) == found.count());
  for (std::int64_t number = 0; number < found.count(); ++number) {
    const std::int64_t entry = expected[static_cast<std::size_t>(number)];
    CHECK(found.entry(number) == entry);
    CHECK(found.pair(number) == entries.pair(entry));
  }
  for (const std::int64_t together : {1, 3, 1000}) {
    std::int64_t largest = 0;
    for (std::int64_t first = 0; first < entries.count(); first += together) {
      const auto in_range = [&](std::int64_t entry) { return entry >= first && entry < first + together; };
      largest = std::max<std::int64_t>(largest, std::count_if(expected.begin(), expected.end(), in_range));
    }
    CHECK(found.most_of_range(together) == largest);
  }
}

void check_rectangles(const Sides& sides, const Entries& entries) {
  const LongPairs found(sides.rows, sides.columns, entries, most);
  for (const std::int64_t rows : {1, 4, 50}) {
    for (const std::int64_t columns : {1, 3, 50}) {
      std::int64_t largest = 0;
      for (std::int64_t row = 0; row < sides.rows->count(); row += rows) {
        for (std::int64_t column = 0; column < sides.columns->count(); column += columns) {
          std::int64_t count = 0;
          for (std::int64_t i = row; i < std::min(row + rows, sides.rows->count()); ++i) {
            for (std::int64_t j = column; j < std::min(column + columns, sides.columns->count()); ++j) {
              count += sides.is_long({i, j}) ? 1 : 0;
            }
          }
          largest = std::max(largest, count);
        }
      }
      CHECK(found.most_of_rectangle(rows, columns) >= largest);
    }
  }
}

TEST_CASE("long pairs are numbered in the order of entries") {
  std::mt19937 random(1);
  const auto draw = [&](std::int64_t least, std::int64_t largest) {
    return std::uniform_int_distribution<std::int64_t>(least, largest)(random);
  };
  const auto lengths = [&](std::int64_t count, std::int64_t longest) {
    std::vector<std::int64_t> made(static_cast<std::size_t>(count));
    for (std::int64_t& length : made) length = draw(0, longest);
    return made;
  };
  for (const std::int64_t longest : {5, 8, 12, 40}) {
    const std::int64_t rows = draw(1, 12), columns = draw(1, 12);
    const Sides sides{items_of(lengths(rows, longest)), items_of(lengths(columns, longest))};
    check(sides, {Entries::Kind::all, rows, columns});
    check_rectangles(sides, {Entries::Kind::all, rows, columns});
    std::vector<ItemPair> given(30);
    for (ItemPair& pair : given) pair = {draw(0, rows - 1), draw(0, columns - 1)};
    check(sides, Entries(given));
    const Sides square{sides.rows, sides.rows};
    check(square, {Entries::Kind::same, rows, rows});
    check(square, {Entries::Kind::upper, rows, rows});
  }
}

TEST_CASE("without long items there are no long pairs") {
  CHECK(LongPairs().count() == 0);
  CHECK(LongPairs().before(3) == 0);
  CHECK(LongPairs().most_of_range(2) == 0);
  CHECK(LongPairs().most_of_rectangle(2, 2) == 0);
}

}  // namespace
}  // namespace terrace::stages
