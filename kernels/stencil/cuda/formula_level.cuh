// The levels of a warp that streams rows of a formula of radius 1 (stream_kernel.cuh): windows of rows in registers.
//
// A level keeps the two rows above the newest one. The newest one completes the neighbourhood of the row above it,
// which is made by the formula's `cell`; then it takes the place of the upper row. So after two rows every row is in
// the registers in which it was, and an even number of rows between barriers moves none. Rows of fields that the
// formula does not read are not kept: the compiler finds that out.
#pragma once

#include "kernels/stencil/cuda/formula_arrays.cuh"
#include "kernels/stencil/cuda/formula_task.hpp"

namespace terrace::stencil {

template <class S>
struct FormulaLevel;

/// A kernel's sizes as constants. @tparam arrays_ the most constant arrays that are read
template <class F, class T, i32 arrays_, measured::StreamSizes sizes_>
struct FormulaShape : StreamLayout<T, F::fields, 1, sizes_> {
  using Base = StreamLayout<T, F::fields, 1, sizes_>;
  using Formula = F;
  using Task = FormulaTask<F, T>;
  using Level = FormulaLevel<FormulaShape>;
  using Columns = typename ColumnsOf<FormulaShape, arrays_>::Type;
  static constexpr i32 arrays = arrays_;

  // Shared memory has the places of arrays behind the tile.
  static constexpr i32 places_at = (Base::shared_bytes + 15) / 16;
  static constexpr i32 shared_bytes = 16 * places_at + Base::warps * arrays * i32{sizeof(ArrayPlace<T>)};

  static_assert(sizes_.rows % 2 == 0 && sizes_.cells >= 2);
};

/// The rows around the one that is made, and where it is.
template <class S>
struct FormulaWindow {
  using T = typename S::Value;
  using Cells = T[S::fields][S::cells];

  const typename S::Task& task;
  const typename S::Columns& columns;
  const Cells &above, &centre, &below;
  i32 row;           // that is made, as StreamTile counts rows
  bool left, right;  // this lane's first or last cell is the grid's
  bool top, bottom;  // the row is the grid's first or last one

  T arrays[S::arrays > 0 ? S::arrays : 1][S::cells];  // the row's values of constant arrays

  __device__ __forceinline__ T array(i32 number, i32 cell) const {
    if constexpr (S::arrays == 0) __builtin_unreachable();
    T value = arrays[0][cell];
#pragma unroll
    for (i32 n = 1; n < S::arrays; ++n) value = number == n ? arrays[n][cell] : value;
    return value;
  }
};

/// The values around a cell of a lane. Neighbours in other lanes are asked for where the formula reads them, which
/// all lanes do together.
/// @tparam edges true if the row may end in the tile; rims: true if the row may be the grid's first or last one
template <class S, bool edges, bool rims>
struct FormulaAt {
  using T = typename S::Value;
  const FormulaWindow<S>& window;
  i32 cell;

  __device__ __forceinline__ T operator()(i32 field, i32 down, i32, i32 right) const {
    const i32 at = cell + right;
    if (at >= 0 && at < S::cells) return value(field, down, at);
    const T inner = value(field, down, at < 0 ? S::cells - 1 : 0);
    T next = at < 0 ? __shfl_up_sync(~0u, inner, 1) : __shfl_down_sync(~0u, inner, 1);
    if (edges && at < 0) next = window.left ? beside(field, down, 0, 1) : next;
    if (edges && at >= 0) next = window.right ? beside(field, down, S::cells - 1, S::cells - 2) : next;
    if (rims && down < 0 && window.top && faces_of_rows().low == Face::value) next = faces_of_rows().low_value;
    if (rims && down > 0 && window.bottom && faces_of_rows().high == Face::value) next = faces_of_rows().high_value;
    return next;
  }
  __device__ __forceinline__ T array(i32 number) const { return window.array(number, cell); }

 private:
  __device__ __forceinline__ const FacesOf<T>& faces_of_rows() const { return window.task.row_faces; }
  /// A value of a column of the lane.
  __device__ __forceinline__ T value(i32 field, i32 down, i32 column) const {
    const T centre = window.centre[field][column], above = window.above[field][column];
    const T below = window.below[field][column];
    if (down == 0) return centre;
    if (down < 0)
      return rims && window.top ? beyond(faces_of_rows().low, faces_of_rows().low_value, centre, below) : above;
    return rims && window.bottom ? beyond(faces_of_rows().high, faces_of_rows().high_value, centre, above) : below;
  }
  /// The value beside the grid's first or last column, which is `outer`; `inner` is the one next to it.
  __device__ __forceinline__ T beside(i32 field, i32 down, i32 outer, i32 inner) const {
    const FacesOf<T>& faces = window.task.column_faces;
    return beyond(outer == 0 ? faces.low : faces.high, outer == 0 ? faces.low_value : faces.high_value,
                  value(field, down, outer), value(field, down, inner));
  }
  static __device__ __forceinline__ T beyond(Face face, T outside, T outer, T inner) {
    return face == Face::value ? outside : face == Face::reflect ? inner : outer;
  }
};

/// The same for formulas that know the faces themselves: all neighbours in other lanes are brought before.
template <class S>
struct RimAt {
  using T = typename S::Value;
  const FormulaWindow<S>& window;
  T left[S::fields][3], right[S::fields][3];
  i32 cell;

  __device__ __forceinline__ explicit RimAt(const FormulaWindow<S>& window) : window(window), cell(0) {
#pragma unroll
    for (i32 n = 0; n < 3 * S::fields; ++n) {
      left[n / 3][n % 3] = __shfl_up_sync(~0u, value(n / 3, n % 3 - 1, S::cells - 1), 1);
      right[n / 3][n % 3] = __shfl_down_sync(~0u, value(n / 3, n % 3 - 1, 0), 1);
    }
  }
  __device__ __forceinline__ T operator()(i32 field, i32 down, i32, i32 beside) const {
    const i32 at = cell + beside;
    return at < 0 ? left[field][down + 1] : at >= S::cells ? right[field][down + 1] : value(field, down, at);
  }
  __device__ __forceinline__ T array(i32 number) const { return window.array(number, cell); }

 private:
  __device__ __forceinline__ T value(i32 field, i32 down, i32 column) const {
    if (down == 0) return window.centre[field][column];
    return down < 0 ? window.above[field][column] : window.below[field][column];
  }
};

/// One level of a warp.
template <class S>
struct FormulaLevel {
  using T = typename S::Value;
  using F = typename S::Formula;
  using Task = typename S::Task;
  using Cells = T[S::fields][S::cells];
  using Window = FormulaWindow<S>;

  Cells rows[2];  // above the newest one, which is row n of a batch: rows[n % 2] is the upper one

  /// Takes a row of the level below, and gives the row above it in its place.
  /// @tparam edges true if the tile may end at the grid's end; rims: true if rows may be the grid's first or last
  /// ones, or are all kept
  template <bool edges, bool rims>
  __device__ __forceinline__ void take(Cells& x, const Task& task, const typename S::Columns& columns,
                                       const StreamRims& kept, const StreamRow& row) {
    Cells &upper = rows[row.turn % 2], &centre = rows[1 - row.turn % 2];
    const i32 number = row.number - 1;
    // The grid's first row is the last one below `low`, its last one the first from `high` on.
    Window window{task,
                  columns,
                  upper,
                  centre,
                  x,
                  number,
                  edges && kept.left,
                  edges && kept.right,
                  rims && number == kept.low - 1,
                  rims && number == kept.high};
    if constexpr (S::arrays > 0) ArrayPlaces<S>::load_row(task, columns, number, window.arrays);
    Cells made;
    make<edges, rims>(window, row, made);
    if (edges || rims) keep<edges, rims>(window, kept, row, made);
#pragma unroll
    for (i32 f = 0; f < S::fields; ++f) {
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        upper[f][c] = x[f][c];
        x[f][c] = made[f][c];
      }
    }
  }

 private:
  template <bool edges, bool rims>
  static __device__ __forceinline__ void make(const Window& window, const StreamRow& row, Cells& made) {
    if constexpr (F::own_faces && (edges || rims)) {
      RimAt<S> at(window);
      Position position = position_of(window.task, window.row, row.level);
#pragma unroll
      for (at.cell = 0; at.cell < S::cells; ++at.cell, ++position.index[2]) {
        T values[S::fields];
        F::rim_cell(window.task.constants, at, position, values);
        finish(window, at, values, made);
      }
    } else {
      FormulaAt<S, edges, rims> at{window, 0};
#pragma unroll
      for (at.cell = 0; at.cell < S::cells; ++at.cell) {
        T values[S::fields];
        F::template cell<T>(window.task.constants, at, values);
        finish(window, at, values, made);
      }
    }
  }
  /// Adds the source, and leaves out cells of the mask.
  template <class At>
  static __device__ __forceinline__ void finish(const Window& window, const At& at, T (&values)[S::fields],
                                                Cells& made) {
    bool changes = true;
    if constexpr (S::arrays > 0) {
      const Additions<T>& additions = window.task.additions;
      add_source(additions, at, values);
      changes = additions.mask < 0 || at.array(additions.mask) == T(0);
    }
#pragma unroll
    for (i32 f = 0; f < S::fields; ++f) made[f][at.cell] = changes ? values[f] : window.centre[f][at.cell];
  }
  /// Lets cells within fixed faces, and those of levels that are not made, keep their values.
  template <bool edges, bool rims>
  static __device__ __forceinline__ void keep(const Window& window, const StreamRims& kept, const StreamRow& row,
                                              Cells& made) {
    const FacesOf<T>&rows = window.task.row_faces, &columns = window.task.column_faces;
    bool row_kept = rims && row.all_kept;
    if (rims && !F::own_faces) {
      row_kept = row_kept || (rows.low == Face::fixed && window.row < kept.low) ||
                 (rows.high == Face::fixed && window.row >= kept.high);
    }
#pragma unroll
    for (i32 c = 0; c < S::cells; ++c) {
      bool keeps = row_kept;
      if (!F::own_faces && c == 0) keeps = keeps || (window.left && columns.low == Face::fixed);
      if (!F::own_faces && c + 1 == S::cells) keeps = keeps || (window.right && columns.high == Face::fixed);
#pragma unroll
      for (i32 f = 0; f < S::fields; ++f) made[f][c] = keeps ? window.centre[f][c] : made[f][c];
    }
  }
  /// The place of the lane's first cell. Steps after the launch's last one count as it.
  static __device__ __forceinline__ Position position_of(const Task& task, i32 row, i32 level) {
    const auto& tile =
        *reinterpret_cast<const StreamTile<T, S::fields>*>(device::launch_shared_memory() + 16 * S::tile_at);
    const i64 column = tile.first_column + threadIdx.x % 32 * S::cells;
    return {{tile.first_row + row, 0, column},
            {task.extent, 1, task.width},
            task.step + (level < task.levels ? level : task.levels - 1)};
  }
};

}  // namespace terrace::stencil
