// The levels of a warp that streams rows of a formula of radius 1 (rows/kernel.cuh): windows of rows in registers.
//
// A level keeps the two rows above the newest one. The newest one completes the neighbourhood of the row above it,
// which is made by the formula's `cell`; then it takes the place of the upper row. So after two rows every row is in
// the registers in which it was, and an even number of rows between barriers moves none. Rows of fields that the
// formula does not read are not kept: the compiler finds that out.
#pragma once

#include "kernels/stencil/cuda/rows/arrays.cuh"
#include "kernels/stencil/cuda/rows/formula_task.hpp"

namespace terrace::stencil {

template <class S>
struct FormulaLevel;

/// A kernel's sizes as constants. @tparam arrays_ places of constant arrays (formula_arrays())
template <class F, class T, i32 arrays_, measured::StreamSizes sizes_>
struct FormulaShape : StreamLayout<T, F::fields, 1, sizes_> {
  using Base = StreamLayout<T, F::fields, 1, sizes_>;
  using Formula = F;
  using Task = FormulaTask<F, T>;
  using Level = FormulaLevel<FormulaShape>;
  using Columns = FormulaColumns<FormulaShape>;
  static constexpr i32 arrays = arrays_;
  /// The same kernel with other sizes.
  template <measured::StreamSizes other>
  using Resized = FormulaShape<F, T, arrays_, other>;
  static __device__ __forceinline__ void prepare() {
    if constexpr (arrays_ > 0) ArrayPlaces<FormulaShape>::clear();
  }
  // For ArrayPlaces:
  static __device__ __forceinline__ const Rows& array(const Task& task, i32 number) {
    return task.block->arrays[task.array[number]];
  }
  static __device__ __forceinline__ i64 first_row(const Task&) {
    return reinterpret_cast<const StreamTile*>(device::launch_shared_memory() + 16 * Base::tile_at)->first_row;
  }
  static constexpr bool adds = has_additions<F>(arrays_);

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
  const Cells &above, &centre, &below;
  i32 row;           // that is made, as StreamTile counts rows
  bool left, right;  // this lane's first or last cell is the grid's
  bool top, bottom;  // the row is the grid's first or last one
  const typename S::Columns& columns;
  i64 step;                                           // that is made
  T arrays[S::arrays > 0 ? S::arrays : 1][S::cells];  // the row's values of constant arrays

  __device__ __forceinline__ T value(i32 field, i32 down, i32 cell) const {
    return down == 0 ? centre[field][cell] : down < 0 ? above[field][cell] : below[field][cell];
  }
  /// A constant array of the formula's own.
  __device__ __forceinline__ T own_array(i32 number, i32 cell) const {
    if constexpr (S::arrays == 0) __builtin_unreachable();
    if constexpr (S::arrays > FormulaArrays::count) {
      return arrays[FormulaArrays::of_own(S::Formula::own_array(number))][cell];
    }
    return arrays[FormulaArrays::own][cell];
  }
  __device__ __forceinline__ i64 index(i32 axis, i32 cell) const {
    return axis == 0 ? columns.row_of(task, row) : axis == 1 ? 0 : columns.column_of(task, cell);
  }
  __device__ __forceinline__ i64 extent(i32 axis) const {
    return axis == 0 ? task.extent : axis == 1 ? 1 : task.width;
  }
};

/// The values around a cell of a lane. Neighbours in other lanes are asked for where the formula reads them, which
/// all lanes do together.
/// @tparam edges true if the tile may end at the grid's end; rims: true if the row may be the grid's first or last
/// one
template <class S, bool edges, bool rims>
struct FormulaAt {
  using T = typename S::Value;
  const FormulaWindow<S>& window;
  const i32 cell;

  __device__ __forceinline__ T operator()(i32 field, i32 down, i32, i32 right) const {
    const i32 at = cell + right;
    if (at >= 0 && at < S::cells) return window.value(field, down, at);
    const T inner = window.value(field, down, at < 0 ? S::cells - 1 : 0);
    T next = at < 0 ? __shfl_up_sync(~0u, inner, 1) : __shfl_down_sync(~0u, inner, 1);
    if (edges && at < 0) next = window.left ? beside(field, down, 0, 1) : next;
    if (edges && at >= 0) next = window.right ? beside(field, down, S::cells - 1, S::cells - 2) : next;
    // Outside two faces, the value of the rows' one counts.
    const FacesOf<T>& rows = window.task.row_faces;
    if (edges && rims && down < 0 && window.top && rows.low == Face::value) next = rows.low_value;
    if (edges && rims && down > 0 && window.bottom && rows.high == Face::value) next = rows.high_value;
    return next;
  }
  __device__ __forceinline__ T array(i32 number) const { return window.own_array(number, cell); }
  __device__ __forceinline__ i64 index(i32 axis, i32) const { return window.index(axis, cell); }
  __device__ __forceinline__ i64 extent(i32 axis) const { return window.extent(axis); }
  __device__ __forceinline__ i64 step() const { return window.step; }

 private:
  /// The value beside the grid's first or last column, which is `outer`; `inner` is the column next to it.
  __device__ __forceinline__ T beside(i32 field, i32 down, i32 outer, i32 inner) const {
    const FacesOf<T>& faces = window.task.column_faces;
    return beyond_face(outer == 0 ? faces.low : faces.high, outer == 0 ? faces.low_value : faces.high_value,
                       window.value(field, down, outer), window.value(field, down, inner));
  }
};

/// The neighbours of a lane's cells in other lanes that a formula reads: of field f, of the row `down` below the one
/// that is made.
template <class S>
struct LaneSides {
  typename S::Value left[S::fields][3], right[S::fields][3];  // by down + 1
};

/// The source at a cell.
template <class S>
struct SourceAt {
  const FormulaWindow<S>& window;
  const i32 cell;

  __device__ __forceinline__ typename S::Value array(i32) const { return window.arrays[FormulaArrays::source][cell]; }
};

/// As FormulaAt, away from faces; keeps the neighbours in other lanes.
template <class S>
struct SidesAt {
  using T = typename S::Value;
  const FormulaWindow<S>& window;
  LaneSides<S>& sides;
  const i32 cell;

  __device__ __forceinline__ T operator()(i32 field, i32 down, i32, i32 right) const {
    const T value = FormulaAt<S, false, false>{window, cell}(field, down, 0, right);
    if (cell + right < 0) sides.left[field][down + 1] = value;
    if (cell + right >= S::cells) sides.right[field][down + 1] = value;
    return value;
  }
  __device__ __forceinline__ T array(i32 number) const { return window.own_array(number, cell); }
  __device__ __forceinline__ i64 index(i32 axis, i32) const { return window.index(axis, cell); }
  __device__ __forceinline__ i64 extent(i32 axis) const { return window.extent(axis); }
  __device__ __forceinline__ i64 step() const { return window.step; }
};

/// As FormulaAt for formulas that know the faces themselves, and may ask for values in some lanes alone: neighbours
/// in other lanes are there before.
template <class S>
struct RimAt {
  using T = typename S::Value;
  const FormulaWindow<S>& window;
  const LaneSides<S>& sides;
  const i32 cell;

  __device__ __forceinline__ T operator()(i32 field, i32 down, i32, i32 right) const {
    const i32 at = cell + right;
    return at < 0           ? sides.left[field][down + 1]
           : at >= S::cells ? sides.right[field][down + 1]
                            : window.value(field, down, at);
  }
  __device__ __forceinline__ T array(i32 number) const { return window.own_array(number, cell); }
};

/// One level of a warp.
template <class S>
struct FormulaLevel {
  using T = typename S::Value;
  using F = typename S::Formula;
  using Task = typename S::Task;
  using Cells = T[S::fields][S::cells];
  using Window = FormulaWindow<S>;

  static constexpr i32 period = 2;  // as StreamLevel has it

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
    const bool top = rims && number == kept.low - 1, bottom = rims && number == kept.high;
    const i64 step = task.step + (row.level < task.levels ? row.level : task.levels - 1);
    Cells made;
    if (rims && !F::own_faces && (top || bottom)) {
      Cells above, below;
      mirror_rows(task, top, bottom, upper, centre, x, above, below);
      make<edges, rims>(
          {task, above, centre, below, number, edges && kept.left, edges && kept.right, top, bottom, columns, step},
          kept, row, made);
    } else {
      make<edges, rims>(
          {task, upper, centre, x, number, edges && kept.left, edges && kept.right, top, bottom, columns, step}, kept,
          row, made);
    }
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
  /// Puts what lies beyond the faces in place of the rows outside the grid.
  static __device__ __forceinline__ void mirror_rows(const Task& task, bool top, bool bottom, const Cells& upper,
                                                     const Cells& centre, const Cells& lower, Cells& above,
                                                     Cells& below) {
    const FacesOf<T>& faces = task.row_faces;
#pragma unroll
    for (i32 f = 0; f < S::fields; ++f) {
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        const T first = beyond_face(faces.low, faces.low_value, centre[f][c], lower[f][c]);
        const T last = beyond_face(faces.high, faces.high_value, centre[f][c], upper[f][c]);
        above[f][c] = top ? first : upper[f][c];
        below[f][c] = bottom ? last : lower[f][c];
      }
    }
  }
  template <bool edges, bool rims>
  static __device__ __forceinline__ void make(Window window, const StreamRims& kept, const StreamRow& row,
                                              Cells& made) {
    if constexpr (S::arrays > 0)
      LaneArrays<S>::load_row(window.task, window.columns, window.row, row.level == 0, window.arrays);
    if constexpr (F::own_faces && (edges || rims)) {
      // All lanes ask for what the formula reads away from faces.
      LaneSides<S> sides;
      T values[S::fields];
      F::template cell<T>(window.task.constants, SidesAt<S>{window, sides, 0}, values);
      F::template cell<T>(window.task.constants, SidesAt<S>{window, sides, S::cells - 1}, values);
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        const RimAt<S> at{window, sides, c};
        const Position position{{window.top      ? 0
                                 : window.bottom ? 2
                                                 : 1,
                                 0, place_of(window, c)},
                                {window.top && window.bottom ? 1 : 3, 1, 3},
                                window.step};
        F::rim_cell(window.task.constants, at, position, values);
        finish(window, c, values, made);
      }
    } else {
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        const FormulaAt<S, edges, rims> at{window, c};
        T values[S::fields];
        F::template cell<T>(window.task.constants, at, values);
        finish(window, c, values, made);
      }
    }
    if (edges || rims) keep<edges, rims>(window, kept, row, made);
  }
  /// Adds the source, and leaves out cells of the mask.
  static __device__ __forceinline__ void finish(const Window& window, i32 cell, T (&values)[S::fields], Cells& made) {
    bool changes = true;
    if constexpr (S::adds) {
      const Additions<T>& additions = window.task.additions;
      add_source(additions, SourceAt<S>{window, cell}, values);
      changes = additions.mask < 0 || window.arrays[FormulaArrays::mask][cell] == T(0);
    }
#pragma unroll
    for (i32 f = 0; f < S::fields; ++f) made[f][cell] = changes ? values[f] : window.centre[f][cell];
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
  /// A column in place of a cell's one, in a grid of three: the formula asks for the distances to the ends alone.
  static __device__ __forceinline__ i64 place_of(const Window& window, i32 cell) {
    if (cell == 0 && window.left) return 0;
    return cell + 1 == S::cells && window.right ? 2 : 1;
  }
};

}  // namespace terrace::stencil
