#include "kernels/pairs/cpu/groups.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace terrace::pairs {
namespace {

i64 length(const i64* begin, i64 item) { return begin[item + 1] - begin[item]; }

/// Items, the longest first.
std::vector<i64> by_length(const i64* begin, i64 count) {
  std::vector<i64> items(static_cast<std::size_t>(count));
  std::iota(items.begin(), items.end(), 0);
  std::stable_sort(items.begin(), items.end(), [&](i64 a, i64 b) { return length(begin, a) > length(begin, b); });
  return items;
}

/// The key by which pairs are sorted.
struct Key {
  i64 row, row_length, column_length, number;
};

/// Cuts the rest of an order, from `begin` on, into groups.
void cut(Groups& made, i64 begin, i64 lanes, bool shared) {
  for (const i64 end = std::ssize(made.order); begin < end; begin += lanes) {
    made.groups.push_back({begin, std::min(lanes, end - begin), shared});
  }
}

/// Rectangles: an item of one side with those of the other side by their lengths.
Groups groups_of_rectangle(const PairsTask& task, i64 lanes) {
  const std::vector<i64> rows = by_length(task.row_begin, task.row_items);
  const std::vector<i64> columns = by_length(task.column_begin, task.column_items);
  Groups made;
  made.order.reserve(static_cast<std::size_t>(task.count));
  if (task.column_items < lanes && task.row_items > task.column_items) {
    for (const i64 column : columns) {
      const i64 begin = std::ssize(made.order);
      for (const i64 row : rows) made.order.push_back(row * task.column_items + column);
      cut(made, begin, lanes, false);
    }
    return made;
  }
  for (const i64 row : rows) {
    const i64 begin = std::ssize(made.order);
    for (const i64 column : columns) made.order.push_back(row * task.column_items + column);
    cut(made, begin, lanes, true);
  }
  return made;
}

/// The end of the keys that have the row of the first one.
std::size_t end_of_row(const std::vector<Key>& keys, std::size_t begin) {
  std::size_t end = begin;
  while (end < keys.size() && keys[end].row == keys[begin].row) ++end;
  return end;
}

/// Sorts keys so that vectors of neighbours differ little in both lengths: by those of rows, then as many as fill
/// about as many vectors as there are such parts by those of columns.
void sort_by_tiles(std::vector<Key>& keys, i64 lanes) {
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return a.row_length != b.row_length ? a.row_length > b.row_length : a.number < b.number;
  });
  const auto parts = std::sqrt(static_cast<double>(keys.size()) / static_cast<double>(lanes));
  const auto part = static_cast<std::size_t>(lanes * std::max<i64>(1, std::llround(parts)));
  for (std::size_t begin = 0; begin < keys.size(); begin += part) {
    const std::size_t end = std::min(keys.size(), begin + part);
    std::sort(keys.begin() + static_cast<std::ptrdiff_t>(begin), keys.begin() + static_cast<std::ptrdiff_t>(end),
              [](const Key& a, const Key& b) {
                return a.column_length != b.column_length ? a.column_length > b.column_length : a.number < b.number;
              });
  }
}

}  // namespace

Groups groups_of(const PairsTask& task, std::vector<i64> numbers, i64 lanes, bool shared) {
  std::vector<Key> keys;
  keys.reserve(numbers.size());
  for (const i64 number : numbers) {
    const auto [row, column] = pair_of(task, number);
    keys.push_back({row, length(task.row_begin, row), length(task.column_begin, column), number});
  }
  Groups made;
  made.order.reserve(numbers.size());
  const auto take = [&](const Key& key) { made.order.push_back(key.number); };
  if (shared) {
    std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
      if (a.row_length != b.row_length) return a.row_length > b.row_length;
      if (a.row != b.row) return a.row < b.row;
      return a.column_length != b.column_length ? a.column_length > b.column_length : a.number < b.number;
    });
    // Each row has vectors of its own for pairs that fill them by more than half; the others share vectors.
    std::vector<Key> others;
    for (std::size_t begin = 0; begin < keys.size();) {
      const std::size_t end = end_of_row(keys, begin);
      const i64 first = std::ssize(made.order), rest = static_cast<i64>(end - begin) % lanes;
      const std::size_t middle = 2 * rest > lanes ? end : end - static_cast<std::size_t>(rest);
      std::for_each(keys.begin() + static_cast<std::ptrdiff_t>(begin),
                    keys.begin() + static_cast<std::ptrdiff_t>(middle), take);
      cut(made, first, lanes, true);
      others.insert(others.end(), keys.begin() + static_cast<std::ptrdiff_t>(middle),
                    keys.begin() + static_cast<std::ptrdiff_t>(end));
      begin = end;
    }
    keys = std::move(others);
  }
  sort_by_tiles(keys, lanes);
  const i64 first = std::ssize(made.order);
  std::for_each(keys.begin(), keys.end(), take);
  cut(made, first, lanes, false);
  return made;
}

Groups groups_of(const PairsTask& task, i64 lanes, bool shared) {
  if (task.pairs == nullptr) return groups_of_rectangle(task, lanes);
  std::vector<i64> numbers(static_cast<std::size_t>(task.count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return groups_of(task, std::move(numbers), lanes, shared);
}

}  // namespace terrace::pairs
