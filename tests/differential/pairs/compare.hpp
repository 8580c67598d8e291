// Blocks of pairs as a kernel computes them, against the plain program of each pair's table.
#pragma once

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>

#include "kernels/device/memory.hpp"
#include "kernels/launch/block_kernel.hpp"
#include "kernels/pairs/spec.hpp"
#include "kernels/wavefront/reference/described.hpp"
#include "tests/differential/pairs/samples.hpp"

namespace terrace::pairs::testing {

template <class Item>
struct Block {
  Items<Item> rows, columns;
  std::optional<std::vector<Pair>> pairs;  // nullopt: a rectangle

  i64 count() const { return pairs ? std::ssize(*pairs) : std::ssize(rows) * std::ssize(columns); }
  Pair pair(i64 number) const {
    if (pairs) return (*pairs)[static_cast<std::size_t>(number)];
    return {static_cast<i32>(number / std::ssize(columns)), static_cast<i32>(number % std::ssize(columns))};
  }
};

template <class Item>
i64 longest(const Items<Item>& items) {
  i64 most = 0;
  for (const auto& item : items) most = std::max<i64>(most, std::ssize(item));
  return most;
}

/// The spec of a block of that kind.
template <class Item>
PairsSpec spec_of(const Kind& kind, const Block<Item>& block, bool ends) {
  PairsSpec spec;
  spec.problem = kind.problem;
  spec.settings = kind.settings();
  spec.ends = ends;
  spec.longest_row = longest(block.rows);
  spec.longest_column = longest(block.columns);
  spec.rectangle = !block.pairs;
  if constexpr (std::is_same_v<Item, u8>) {
    spec.value = score_type(*description_of(spec), spec.longest_row, spec.longest_column);
  } else {
    spec.value = element_type_of<Item>();
  }
  return spec;
}

/// Memory that a device reads, with a copy of `values`.
template <class T>
class Copied {
 public:
  Copied(device::Context& context, const std::vector<T>& values)
      : memory_(context, std::max<std::size_t>(1, values.size()) * sizeof(T), device::In::host) {
    std::copy(values.begin(), values.end(), memory_.as<T>());
  }
  T* data() const { return memory_.as<T>(); }

 private:
  device::Memory memory_;
};

/// Items one after another, and where each begins.
template <class Item>
struct Joined {
  explicit Joined(const Items<Item>& items) {
    for (const auto& item : items) {
      elements.insert(elements.end(), item.begin(), item.end());
      begin.push_back(std::ssize(elements));
    }
  }
  std::vector<Item> elements;
  std::vector<i64> begin{0};
};

template <class Score>
struct Found {
  std::vector<Score> scores;
  std::vector<End> ends;
  PairsResult result;
};

/// Computes a block in one launch.
template <class Score, class Item>
Found<Score> run(device::Context& context, device::BlockKernel& kernel, const Block<Item>& block, bool with_ends) {
  const Joined<Item> rows(block.rows), columns(block.columns);
  const auto count = static_cast<std::size_t>(block.count());
  const Copied<Item> row_items(context, rows.elements), column_items(context, columns.elements);
  const Copied<i64> row_begin(context, rows.begin), column_begin(context, columns.begin);
  const Copied<Pair> pairs(context, block.pairs.value_or(std::vector<Pair>()));
  const Copied<Score> scores(context, std::vector<Score>(count, Score(77)));
  const Copied<End> ends(context, std::vector<End>(count, End{-7, -7}));
  const Copied<device::u64> words(context, {1, 0, 0, 0, 0, 0});
  const Copied<PairsTask> task(
      context, {{row_items.data(), row_begin.data(), column_items.data(), column_begin.data(), std::ssize(block.rows),
                 std::ssize(block.columns), block.pairs ? pairs.data() : nullptr, block.count(), scores.data(),
                 with_ends ? ends.data() : nullptr}});
  const Copied<PairsResult> result(context, {{-1, -1}});
  device::u64* word = words.data();
  kernel.run({word, word + 1, word + 2, word + 3, word + 4, word + 5, task.data(), result.data(), 1,
              sizeof(PairsTask), sizeof(PairsResult), 0, 1});
  context.record(device::Queue::compute)->wait();
  REQUIRE(word[3] == 1);
  return {{scores.data(), scores.data() + count}, {ends.data(), ends.data() + count}, *result.data()};
}

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Compares what was found of every pair of a block with the plain program of its table.
template <class Item, class Score>
void compare_found(const PairsSpec& spec, const Block<Item>& block, const Found<Score>& found) {
  using V = std::conditional_t<std::is_same_v<Item, u8>, i64, Item>;
  const auto described = description_of(spec);
  for (i64 n = 0; n < block.count(); ++n) {
    const auto& row = block.rows[static_cast<std::size_t>(block.pair(n).row)];
    const auto& column = block.columns[static_cast<std::size_t>(block.pair(n).column)];
    const auto table = wavefront::described_reference<V, Item>(*described, row, column);
    V expected = table.score;
    if (spec.at_most && static_cast<double>(expected) > *spec.at_most)
      expected = static_cast<V>(missed_distance(spec));
    const auto score = static_cast<V>(found.scores[static_cast<std::size_t>(n)]);
    if (!same_bits(score, expected)) {
      FAIL("pair " << n << " of " << row.size() << " x " << column.size() << " elements has score " << score
                   << " and not " << expected);
    }
    if (!spec.ends) continue;
    const End end = found.ends[static_cast<std::size_t>(n)];
    if (end.row != table.row || end.column != table.column) {
      FAIL("pair " << n << " of " << row.size() << " x " << column.size() << " elements, score " << score
                   << ", ends at (" << end.row << ", " << end.column << ") and not (" << table.row << ", "
                   << table.column << ")");
    }
  }
}

/// Compares every pair of a block with the plain program of its table.
/// @param make a kernel of a spec
template <class Item, class Make>
PairsResult compare(device::Context& context, const PairsSpec& spec, const Block<Item>& block, const Make& make) {
  const auto kernel = make(spec);
  PairsResult result{};
  const auto check = [&](const auto& found) {
    result = found.result;
    compare_found(spec, block, found);
  };
  if (spec.value == ElementType::i32) check(run<i32>(context, *kernel, block, spec.ends));
  else if (spec.value == ElementType::i64) check(run<i64>(context, *kernel, block, spec.ends));
  else if constexpr (!std::is_same_v<Item, u8>) check(run<Item>(context, *kernel, block, spec.ends));
  return result;
}

}  // namespace terrace::pairs::testing
