// The plain sequential program of pairs: two loops over the recurrence as the problem states it, a row at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "kernels/launch/block_kernel.hpp"
#include "kernels/pairs/spec.hpp"
#include "kernels/wavefront/report.hpp"
#include "kernels/wavefront/visit.hpp"
#include "kernels/wavefront/window.hpp"

namespace terrace::pairs {

/// A pair's score, and the letters consumed at the cell that has it.
template <class V>
struct Scored {
  V score{};
  i64 row = 0, column = 0;
};

/// The last rows of a table.
template <class V>
struct PlainRows {
  std::vector<V> h, f;  // f of problems with affine gaps alone
};

/// Bytes of PlainRows of so many columns. @param planes 2 with affine gaps, else 1 (P::row_planes)
constexpr std::size_t plain_bytes(i64 columns, int planes) {
  return static_cast<std::size_t>(columns) * static_cast<std::size_t>(planes) * sizeof(i64);
}

/// The score of problem P's table. @tparam V i64 for letters; float or double for values
template <class P, class V, class Item>
Scored<V> plain_score(const typename P::template Constants<i64>& constants, std::span<const Item> rows,
                      std::span<const Item> columns, PlainRows<V>& memory) {
  using wavefront::Report;
  const auto k = P::template constants_as<V>(constants);
  const i64 last_row = std::ssize(rows) - 1, last_column = std::ssize(columns) - 1;
  Scored<V> found;
  if constexpr (P::items == wavefront::Items::letters) {
    const wavefront::BlockResult border = wavefront::border_report<P>(constants, last_row + 1, last_column + 1);
    found = {border.score, border.row, border.column};
  }
  if (last_row < 0 || last_column < 0) {
    if constexpr (P::items == wavefront::Items::values) {
      // No warping pairs a value with nothing.
      found = {static_cast<V>(wavefront::infinity), last_row + 1, last_column + 1};
    } else if constexpr (P::report == Report::last) {
      const V h = last_row < 0 ? P::template top<V>(k, last_column).h : P::template left<V>(k, last_row).h;
      found = {h, last_row + 1, last_column + 1};
    }
    return found;
  }
  wavefront::Ends ends{};
  if constexpr (P::report == Report::ends) ends = P::template ends<V>(k);
  V corner = P::template left<V>(k, -1).h;
  if constexpr (wavefront::has_corner<P, V>) corner = P::corner(k, V(rows[0]), V(columns[0]));
  memory.h.resize(columns.size());
  constexpr bool has_f = P::row_planes == 2;
  V no_f{};
  const auto f_of = [&](i64 j) -> V& {
    if constexpr (has_f) return memory.f[static_cast<std::size_t>(j)];
    else return no_f;
  };
  if constexpr (has_f) memory.f.resize(columns.size());
  for (i64 j = 0; j <= last_column; ++j) {
    const auto border = P::template top<V>(k, j);
    memory.h[static_cast<std::size_t>(j)] = border.h;
    f_of(j) = border.gap;
  }
  const i64 window = wavefront::window_of<P, V>(k);
  for (i64 i = 0; i <= last_row; ++i) {
    const auto border = P::template left<V>(k, i);
    V diagonal = i == 0 ? corner : P::template left<V>(k, i - 1).h, left = border.h, e = border.gap;
    for (i64 j = 0; j <= last_column; ++j) {
      V &h = memory.h[static_cast<std::size_t>(j)], &f = f_of(j);
      const V s =
          P::template score<V>(k, V(rows[static_cast<std::size_t>(i)]), V(columns[static_cast<std::size_t>(j)]));
      auto cell = P::template cell<V>(k, {diagonal, h, left, e, f}, s);
      if (!wavefront::in_window(window, i, j)) cell.h = static_cast<V>(wavefront::infinity);
      diagonal = h;
      left = h = cell.h;
      e = cell.e;
      f = cell.f;
      bool counts = P::report == Report::best;
      if constexpr (P::report == Report::ends) {
        const bool bottom = i == last_row, right = j == last_column;
        counts = (bottom && right) || (bottom && ends.last_row) || (right && ends.last_column);
      }
      if (!counts) continue;
      // Cells come by rows: a later one of the same row lies right of it. Those of the border may lie below.
      const bool none = P::items == wavefront::Items::values && found.row == 0;
      if (none || wavefront::goes_before({wavefront::reported(h), i + 1, j + 1},
                                         {wavefront::reported(found.score), found.row, found.column})) {
        found = {h, i + 1, j + 1};
      }
    }
  }
  if constexpr (P::report == Report::last) found = {memory.h.back(), last_row + 1, last_column + 1};
  return found;
}

/// The items of a block by number.
template <class Item>
std::span<const Item> item_of(const void* items, const i64* begin, i64 number) {
  return {static_cast<const Item*>(items) + begin[number],
          static_cast<std::size_t>(begin[number + 1] - begin[number])};
}

/// The kernel of the plain program, for blocks of PairsTask. @throws DeviceError for other devices than CPUs
std::unique_ptr<device::BlockKernel> make_plain(const PairsSpec& spec, device::Context& context, void*);

}  // namespace terrace::pairs
