// Rows of a field as kernels of a level read or write them: pieces of memory, cut to the rows that are in use.
#pragma once

#include "kernels/stencil/rules/slabs.hpp"

namespace terrace::stencil {

/// As Rows, of values of type T, with rows that the slab above handed on: one piece of a carry, or two.
template <class T>
struct Lines {
  static constexpr int most_pieces = Rows::most_pieces + 1;
  // Two pieces of the carry at most, which the slab above has handed on, then its own rows: those that it takes, of
  // as many tiles as it leaves, one more if it takes them from the middle of a tile, and another one at the end of a
  // periodic grid, whose last tile may be low; or those of a level, then the rows that it hands on.
  static_assert(2 + most_slab_tiles + 2 <= most_pieces);

  i32 pieces;
  i64 end;                 // one past the last row
  i64 begin[most_pieces];  // first row of a piece
  T* data[most_pieces];

  /// The piece of a row, begin[0] <= row < end.
  TERRACE_HOST_DEVICE i32 piece_of(i64 row) const {
    i32 piece = pieces - 1;
    while (piece > 0 && begin[piece] > row) --piece;
    return piece;
  }
  TERRACE_HOST_DEVICE RowRange rows_of(i32 piece) const {
    return {begin[piece], piece + 1 < pieces ? begin[piece + 1] : end};
  }
  /// The first value of a row. @param width values of a row
  TERRACE_HOST_DEVICE T* row(i64 index, i64 width) const {
    const i32 piece = piece_of(index);
    return data[piece] + (index - begin[piece]) * width;
  }

  TERRACE_HOST_DEVICE bool has(i64 row) const { return row >= begin[0] && row < end; }
  /// The row itself, or another one in place of a row that is not there: that contributes to nothing that is written.
  TERRACE_HOST_DEVICE i64 nearest(i64 row) const { return row < begin[0] ? begin[0] : row >= end ? end - 1 : row; }

  /// Adds rows below the last one. Nothing if there are none.
  TERRACE_HOST_DEVICE void add(RowRange rows, T* values) {
    if (rows.count() == 0) return;
    begin[pieces] = rows.begin;
    data[pieces] = values;
    end = rows.end;
    ++pieces;
  }
  /// Adds those of `rows` that lie in `range`.
  TERRACE_HOST_DEVICE void add(const Rows& rows, RowRange range, i64 width) {
    for (i32 piece = 0; piece < rows.pieces; ++piece) {
      const i64 first = rows.begin[piece], last = piece + 1 < rows.pieces ? rows.begin[piece + 1] : rows.end;
      const RowRange common{first > range.begin ? first : range.begin, last < range.end ? last : range.end};
      add(common, static_cast<T*>(rows.data[piece]) + (common.begin - first) * width);
    }
  }
};

}  // namespace terrace::stencil
