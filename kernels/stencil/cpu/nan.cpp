#include "kernels/stencil/cpu/nan.hpp"

#include <algorithm>
#include <atomic>

#include "kernels/stencil/cpu/tile.hpp"

namespace terrace::stencil {
namespace {

/// The index of the first NaN of `count` values, or `count`.
template <class T>
i64 first_nan(const T* values, i64 count) {
  constexpr i64 piece = 4096;
  for (i64 begin = 0; begin < count; begin += piece) {
    const i64 end = std::min(count, begin + piece);
    int found = 0;
    for (i64 i = begin; i < end; ++i) found |= values[i] != values[i];
    if (found == 0) continue;
    return std::find_if(values + begin, values + end, [](T value) { return value != value; }) - values;
  }
  return count;
}

/// The first cell of rows with a NaN, counted from the first cell of row `begin`; else their number of cells.
template <class T>
i64 first_nan(const Rows& rows, RowRange range, i64 width) {
  for (i64 row = range.begin; row < range.end;) {
    const i64 count = std::min(InputRows::run_of(rows, row), range.end - row);
    const i64 found = first_nan(rows.row<T>(row, width), count * width);
    if (found < count * width) return (row - range.begin) * width + found;
    row += count;
  }
  return range.count() * width;
}

}  // namespace

template <class T>
void find_nan(const StencilTask& task, int fields, int arrays, i64 width, device::ThreadPool& pool,
              StencilResult& result) {
  const i64 rows = task.row_end - task.row_begin, chunk = std::max<i64>(1, (1 << 16) / std::max<i64>(1, width));
  const i64 chunks = (rows + chunk - 1) / chunk, none = (fields + arrays) * chunks;
  const auto search = [&](i64 number) -> RowRange {  // its rows
    const i64 begin = task.row_begin + number % chunks * chunk;
    return {begin, std::min(task.row_end, begin + chunk)};
  };
  const auto rows_of = [&](i64 number) -> const Rows& {
    const i64 list = number / chunks;
    return list < fields ? task.fields[list] : task.arrays[list - fields];
  };
  std::atomic<i64> next{0}, first{none};
  pool.run_on_all([&](int) {
    for (i64 number = next++; number < first; number = next++) {
      const RowRange range = search(number);
      if (first_nan<T>(rows_of(number), range, width) == range.count() * width) continue;
      i64 old = first;
      while (old > number && !first.compare_exchange_weak(old, number)) {
      }
    }
  });
  if (first == none) return;
  const RowRange range = search(first);
  const i64 cell = first_nan<T>(rows_of(first), range, width), list = first / chunks;
  result.nan_array = list < fields ? list : most_fields + list - fields;
  result.nan_row = range.begin + cell / width;
  result.nan_index = cell % width;
}

template void find_nan<float>(const StencilTask&, int, int, i64, device::ThreadPool&, StencilResult&);
template void find_nan<double>(const StencilTask&, int, int, i64, device::ThreadPool&, StencilResult&);

}  // namespace terrace::stencil
