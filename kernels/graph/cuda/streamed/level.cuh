// A level of a warp through which rows of an iteration's states stream: a step of the iteration.
//
// A level keeps the two rows above the newest one. The newest one completes the neighbourhood of the row above it,
// which is made by the formula; then it takes the place of the upper row. So after two rows every row is in the
// registers in which it was. A warp that takes a row at a time moves rows instead: code for odd and even rows did not
// fit into the cache of instructions (H200, 2026-12-01: 47% of the time of exact optical flow was spent on that).
#pragma once

#include "kernels/device/warp.cuh"
#include "kernels/graph/cuda/streamed/work.hpp"
#include "kernels/values/known_divisor.hpp"

namespace terrace::graph {

/// A row of all states, of a lane's cells.
template <class Cell, i32 cells>
using StreamedRow = typename Cell::T[Cell::results][cells];

/// The constants of a lane's cells, then the reciprocals of its divisors.
template <class Cell, i32 cells>
using StreamedConstants =
    typename Cell::T[Cell::constants + Cell::divisors > 0 ? Cell::constants + Cell::divisors : 1][cells];

/// The rows around the one that is made, and where it is.
template <class Cell, i32 cells>
struct StreamedWindow {
  using T = typename Cell::T;
  using Row = StreamedRow<Cell, cells>;

  const Row &above, &centre, &below;
  const StreamedConstants<Cell, cells>& constants;
  i64 row, column;  // of the arrays: the row that is made, and the lane's first cell
  Shape shape;
  bool left, right;  // the lane's first or last cell is the array's
};

/// The values around a cell of a lane. Neighbours in other lanes are asked for where the formula reads them, which
/// all lanes do together.
/// @tparam edges true if the tile may end at the array's end; rims: true if the row may be the array's first or last
template <class Cell, i32 cells, bool edges, bool rims>
struct StreamedAt {
  using T = typename Cell::T;
  const StreamedWindow<Cell, cells>& window;
  const i32 cell;

  __device__ __forceinline__ T operator()(i32 source, i64 down, i64 right) const {
    const i32 place = Cell::place(source), at = cell + static_cast<i32>(right);
    if (place < 0) return window.constants[-1 - place][cell];
    if (at >= 0 && at < cells) return value(place, down, at);
    const T inner = value(place, down, at < 0 ? cells - 1 : 0);
    T next = at < 0 ? __shfl_up_sync(~0u, inner, 1) : __shfl_down_sync(~0u, inner, 1);
    if (edges && at < 0) next = window.left ? beside(place, down, 0, 1) : next;
    if (edges && at >= 0) next = window.right ? beside(place, down, cells - 1, cells - 2) : next;
    return next;
  }
  /// The reciprocal of divisor n.
  __device__ __forceinline__ T reciprocal(i32 n) const { return window.constants[Cell::constants + n][cell]; }
  __device__ __forceinline__ i64 index(i32 axis, i64) const { return axis == 0 ? window.row : window.column + cell; }
  __device__ __forceinline__ Shape shape() const { return window.shape; }

 private:
  /// The value in the row `down` below the one that is made.
  __device__ __forceinline__ T value(i32 state, i64 down, i32 at) const {
    const T centre = window.centre[state][at];
    if (down == 0) return centre;
    const T above = window.above[state][at], below = window.below[state][at];
    if (!rims) return down < 0 ? above : below;
    const bool is_outside = down < 0 ? window.row == 0 : window.row == window.shape.rows - 1;
    return is_outside ? beyond(centre, down < 0 ? below : above) : down < 0 ? above : below;
  }
  /// The value beside the array's first or last column, which is `outer`; `inner` is the column next to it.
  __device__ __forceinline__ T beside(i32 state, i64 down, i32 outer, i32 inner) const {
    return beyond(value(state, down, outer), value(state, down, inner));
  }
  static __device__ __forceinline__ T beyond(T outer, T inner) {
    if (Cell::boundary == Boundary::value) return Cell::boundary_value();
    return Cell::boundary == Boundary::reflect ? inner : outer;
  }
};

/// @tparam moves true: the upper row is always rows[0]
template <class Cell, i32 cells, bool moves>
struct StreamedLevel {
  using T = typename Cell::T;
  using Row = StreamedRow<Cell, cells>;
  using Window = StreamedWindow<Cell, cells>;

  /// Rows from one on whose quick quotients are not all exact, until these are tried again. Not measured.
  static constexpr i32 slow_rows_after_miss = 8;

  Row rows[2];  // above the newest one, which is row n of a batch: rows[n % 2] is the upper one, unless rows move
  i32 slow_rows = 0;

  static __device__ __forceinline__ i32 upper(i32 turn) { return moves ? 0 : turn % 2; }

  /// Takes the place of the upper row by x, and gives the row that is made in its place.
  /// @param makes false: the row in the middle as it is
  template <bool edges, bool rims>
  __device__ __forceinline__ void take(Row& x, i32 turn, bool makes, const Window& window) {
    Row made;
    if constexpr (Cell::divisors > 0) {
      if (slow_rows == 0) [[likely]] {
        if (make_quick<edges, rims>(window, makes, made)) [[likely]]
          return give(x, turn, made);
        slow_rows = slow_rows_after_miss;
      }
      --slow_rows;
    }
#pragma unroll
    for (i32 c = 0; c < cells; ++c) {
      T values[Cell::results];
      Cell::make(StreamedAt<Cell, cells, edges, rims>{window, c}, 0, 0, values);
#pragma unroll
      for (i32 s = 0; s < Cell::results; ++s) made[s][c] = rims && !makes ? window.centre[s][c] : values[s];
    }
    give(x, turn, made);
  }

 private:
  /// Makes the row with quick quotients. @return false: some are not exact
  template <bool edges, bool rims>
  __device__ __forceinline__ bool make_quick(const Window& window, bool makes, Row& made) const {
    u32 misses = 0;
#pragma unroll
    for (i32 c = 0; c < cells; ++c) {
      T values[Cell::results];
      Cell::make_quick(StreamedAt<Cell, cells, edges, rims>{window, c}, 0, 0, values, misses);
#pragma unroll
      for (i32 s = 0; s < Cell::results; ++s) made[s][c] = rims && !makes ? window.centre[s][c] : values[s];
    }
    return __any_sync(~0u, misses > values::known_divisor_range) == 0;
  }
  __device__ __forceinline__ void give(Row& x, i32 turn, const Row& made) {
    Row& newest = rows[moves ? 1 : upper(turn)];
#pragma unroll
    for (i32 s = 0; s < Cell::results; ++s) {
#pragma unroll
      for (i32 c = 0; c < cells; ++c) {
        if (moves) rows[0][s][c] = rows[1][s][c];
        newest[s][c] = x[s][c];
        x[s][c] = made[s][c];
      }
    }
  }
};

}  // namespace terrace::graph
