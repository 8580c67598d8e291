// One level of any formula of radius 1 that a job writes, whose planes stream through registers: windows of planes.
//
// A level keeps the cells of the two planes above the newest one. The newest one completes the neighbourhood of the
// plane above it: its own cells are the ones below, and its neighbours in the plane were exchanged when it came. So
// formulas read of the planes above and below only the one cell beside the cell. Cells of fields that the formula
// does not read there are not kept: the compiler finds that out.
#pragma once

#include "kernels/stencil/cuda/common/arrays.cuh"
#include "kernels/stencil/cuda/common/chunk.cuh"
#include "kernels/stencil/cuda/planes/cells.cuh"
#include "kernels/stencil/cuda/planes/window_task.hpp"

namespace terrace::stencil {

/// The facts of the cells of a formula (SumCell).
template <i32 fields_, u32 near_, bool corners_>
struct WindowCell {
  static constexpr i32 fields = fields_;
  static constexpr u32 near = near_;
  static constexpr bool corners = corners_;
};

/// The place of a thread's cells in the grid.
struct WindowPlaces {
  i64 line, cell;                       // the first ones; of periodic axes they may lie beyond the ends
  i32 last_line, last_cell;             // the grid's last ones, counted from these; below 0 if the axis is periodic
  bool has_first_line, has_first_cell;  // of the grid, if the axis is not periodic

  WindowPlaces() = default;
  template <class Task>
  __device__ __forceinline__ WindowPlaces(const Task& task, i64 first_line, i64 first_cell)
      : line(first_line),
        cell(first_cell),
        last_line(task.middle.wraps != 0 ? -1 : static_cast<i32>(task.middle.extent - 1 - first_line)),
        last_cell(task.last.wraps != 0 ? -1 : static_cast<i32>(task.last.extent - 1 - first_cell)),
        has_first_line(task.middle.wraps == 0 && first_line == 0),
        has_first_cell(task.last.wraps == 0 && first_cell == 0) {}
};

/// A kernel's sizes as constants. @tparam F the formula @tparam arrays_ places of constant arrays (formula_arrays())
/// @tparam near_, corners_ as in SumCell
template <class F, class T, i32 arrays_, measured::VolumeSizes sizes_, u32 near_, bool corners_>
struct WindowShape : VolumeShape<T, VolumeKind::windows, 1, sizes_, WindowCell<F::fields, near_, corners_>> {
  using Base = VolumeShape<T, VolumeKind::windows, 1, sizes_, WindowCell<F::fields, near_, corners_>>;
  using Formula = F;
  using Task = WindowTask<F, T>;
  using Places = WindowPlaces;
  static constexpr i32 arrays = arrays_;
  static constexpr bool adds = has_additions<F>(arrays_);

  static constexpr VolumeFrame frame = window_frame(sizes_, F::fields, Base::near_fields, arrays_, sizeof(T));
  static constexpr i32 shared_bytes = frame.shared_bytes;

  static __device__ __forceinline__ void prepare() {
    if constexpr (arrays_ > 0) ArrayPlaces<WindowShape>::clear();
  }
  static __device__ __forceinline__ bool keeps(const Task& task, i32 axis, i64 index) {
    const FacesOf<T>& faces = task.operands.faces[axis];
    return !F::own_faces &&
           is_kept(index, axis == 1 ? task.middle.extent : task.last.extent, 1, faces.low, faces.high);
  }

  // For ArrayPlaces:
  static constexpr i32 places_at = Base::shared_bytes / 16;
  static __device__ __forceinline__ i32 level_warps() { return sizes_.warps; }
  static __device__ __forceinline__ const Rows& array(const Task& task, i32 number) {
    return task.operands.block->arrays[task.operands.array[number]];
  }
  static __device__ __forceinline__ i64 first_row(const Task& task) {
    return task.rows.begin + task.chunks.chunk(blockIdx.x).begin - Base::depth;
  }

  static_assert(F::fields <= most_window_fields);
};

/// A plane that is made.
struct WindowPlane {
  i32 number;        // counted from the first one that is read
  i64 row, step;     // its index; the step that is made
  bool top, bottom;  // the grid's first or last one
};

/// A plane's values of constant arrays. @tparam aligned true if lines begin at multiples of 16 bytes
template <class S, bool aligned>
class WindowArrays {
  using T = typename S::Value;
  using Task = typename S::Task;

 public:
  using Values = T[S::arrays > 0 ? S::arrays : 1][S::cells];

  /// @param cell, column the place of the thread's cells in a plane (Volume) @param is_first true if no level has
  /// read the plane before
  __device__ __forceinline__ WindowArrays(const Task& task, const i32 (&cell)[S::lines], i32 column, i32 plane,
                                          bool is_first)
      : task_(task), cell_(cell), column_(column) {
#pragma unroll
    for (i32 n = 0; n < S::arrays; ++n) {
      if (!is_there(n)) continue;
      const ArrayPlace<T>& place = ArrayPlaces<S>::with_row(task, n, plane);
      plane_[n] = place.row_0 + plane * task.width;
      if (aligned && is_first && plane + planes_ahead < place.end) prefetch(plane_[n] + planes_ahead * task.width);
    }
  }

  /// Takes a line of the thread's cells.
  __device__ __forceinline__ void load(i32 line, Values& values) const {
#pragma unroll
    for (i32 n = 0; n < S::arrays; ++n) {
      if (!is_there(n)) continue;
      const T* from = plane_[n] + cell_[line];
      if constexpr (aligned) {
        const auto chunk = *reinterpret_cast<const ValueChunk<T>*>(from);
#pragma unroll
        for (i32 c = 0; c < S::cells; ++c) values[n][c] = chunk.values[c];
      } else {
#pragma unroll
        for (i32 c = 0; c < S::cells; ++c) values[n][c] = from[place_on(task_.last, column_ + c, 1)];
      }
    }
  }

 private:
  /// Planes of constant arrays that are brought into L2 before they are read. Not measured.
  static constexpr i32 planes_ahead = 2;
  /// Threads side by side whose chunks L2 brings together.
  static constexpr i32 threads_together = 8;

  __device__ __forceinline__ bool is_there(i32 n) const {
    return S::adds ? task_.operands.array[n] >= 0 : !FormulaArrays::is_addition(n);
  }
  __device__ __forceinline__ void prefetch(const T* plane) const {
    if (threadIdx.x % threads_together != 0) return;
#pragma unroll
    for (i32 i = 0; i < S::lines; ++i) device::prefetch(plane + cell_[i]);
  }

  const Task& task_;
  const i32 (&cell_)[S::lines];
  i32 column_;
  const T* plane_[S::arrays > 0 ? S::arrays : 1];
};

/// The values around one of a thread's cells.
template <class S>
struct WindowAt {
  using T = typename S::Value;
  using Arrays = T[S::arrays > 0 ? S::arrays : 1][S::cells];

  const typename S::Task& task;
  const WindowPlaces& places;
  const WindowPlane& plane;
  const VolumeNear<S> (&near)[S::fields];
  const VolumeFields<S>&above, &centre, &below;
  const Arrays& arrays;  // of the cell's line
  i32 i, c;

  __device__ __forceinline__ T operator()(i32 field, i32 d0, i32 d1, i32 d2) const {
    if (d0 != 0) return (d0 < 0 ? above : below).of[field][i][c];
    return d1 == 0 && d2 == 0 ? centre.of[field][i][c] : near[field].at[i + 1 + d1][c + 1 + d2];
  }
  __device__ __forceinline__ T array(i32 number) const {
    if constexpr (S::arrays > FormulaArrays::count) {
      return arrays[FormulaArrays::of_own(S::Formula::own_array(number))][c];
    }
    return arrays[FormulaArrays::own][c];
  }
  __device__ __forceinline__ i64 index(i32 axis, i32) const {
    if (axis == 0) return plane.row;
    return axis == 1 ? index_on(task.middle, places.line + i) : index_on(task.last, places.cell + c);
  }
  __device__ __forceinline__ i64 extent(i32 axis) const {
    return axis == 0 ? task.extent : axis == 1 ? task.middle.extent : task.last.extent;
  }
  __device__ __forceinline__ i64 step() const { return plane.step; }

 private:
  /// The index of a cell of a tile; of cells beyond fixed ends, which contribute to nothing, the last one: formulas
  /// may divide by distances to the ends.
  static __device__ __forceinline__ i64 index_on(const VolumeAxis& axis, i64 index) {
    if (index < 0) return index + axis.extent;
    if (index < axis.extent) return index;
    return axis.wraps != 0 ? index - axis.extent : axis.extent - 1;
  }
};

/// The source at a cell.
template <class S>
struct WindowSource {
  const typename WindowAt<S>::Arrays& arrays;
  i32 c;

  __device__ __forceinline__ typename S::Value array(i32) const { return arrays[FormulaArrays::source][c]; }
};

template <class S>
struct VolumeWindow {
  using T = typename S::Value;
  using F = typename S::Formula;
  using Task = typename S::Task;

  VolumeFields<S> above, centre;

  /// Takes the plane below plane `plane`, and makes that one. @param near the plane's cells and neighbours in it
  /// @tparam edges true if the tile may end at the grid's end; rims: true if the plane may be the grid's first or
  /// last one, or kept
  template <bool edges, bool rims, bool aligned, class Kept>
  __device__ __forceinline__ void make(VolumeNear<S> (&near)[S::fields], const VolumeFields<S>& x,
                                       VolumeFields<S>& made, const Task& task, const WindowPlaces& places,
                                       const WindowPlane& plane, const WindowArrays<S, aligned>& arrays,
                                       const Kept& kept) {
    VolumeFields<S> upper = above, lower = x;
    if constexpr (edges && !F::own_faces) put_faces(task, places, near);
    if constexpr (rims && !F::own_faces) put_faces(task.operands.faces[0], plane, upper, lower);
    const bool plane_kept = rims && (kept.all || is_plane_kept(task.operands.faces[0], kept, plane.number));
#pragma unroll
    for (i32 i = 0; i < S::lines; ++i) {
      typename WindowAt<S>::Arrays of_arrays;
      arrays.load(i, of_arrays);
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        T values[S::fields];
        const WindowAt<S> at{task, places, plane, near, upper, centre, lower, of_arrays, i, c};
        const bool changes = make_cell<(edges || rims)>(at, values);
        const bool keeps = plane_kept || (edges && kept.template keeps_cell<S>(i, c));
#pragma unroll
        for (i32 f = 0; f < S::fields; ++f) {
          made.of[f][i][c] = !changes || ((edges || rims) && keeps) ? centre.of[f][i][c] : values[f];
        }
      }
    }
    above = centre;
    centre = x;
  }

 private:
  /// @tparam at_faces true if the cell may be at the grid's end @return false if the mask keeps the cell
  template <bool at_faces>
  static __device__ __forceinline__ bool make_cell(const WindowAt<S>& at, T (&values)[S::fields]) {
    if constexpr (F::own_faces && at_faces) {
      const Position position{
          {at.index(0, 0), at.index(1, 0), at.index(2, 0)}, {at.extent(0), at.extent(1), at.extent(2)}, at.step()};
      F::rim_cell(at.task.operands.constants, at, position, values);
    } else {
      F::template cell<T>(at.task.operands.constants, at, values);
    }
    if constexpr (!S::adds) return true;
    const Additions<T>& additions = at.task.operands.additions;
    add_source(additions, WindowSource<S>{at.arrays, at.c}, values);
    return additions.mask < 0 || at.arrays[FormulaArrays::mask][at.c] == T(0);
  }

  template <class Kept>
  static __device__ __forceinline__ bool is_plane_kept(const FacesOf<T>& faces, const Kept& kept, i32 plane) {
    return !F::own_faces &&
           ((faces.low == Face::fixed && plane < kept.low) || (faces.high == Face::fixed && plane >= kept.high));
  }

  /// Puts what lies beyond the faces in place of the planes outside the grid.
  __device__ __forceinline__ void put_faces(const FacesOf<T>& faces, const WindowPlane& plane, VolumeFields<S>& upper,
                                            VolumeFields<S>& lower) const {
#pragma unroll
    for (i32 f = 0; f < S::fields; ++f) {
#pragma unroll
      for (i32 i = 0; i < S::lines; ++i) {
#pragma unroll
        for (i32 c = 0; c < S::cells; ++c) {
          T &over = upper.of[f][i][c], &under = lower.of[f][i][c];
          const T outer = centre.of[f][i][c];
          const T first = beyond_face(faces.low, faces.low_value, outer, under);
          const T last = beyond_face(faces.high, faces.high_value, outer, over);
          if (plane.top) over = first;
          if (plane.bottom) under = last;
        }
      }
    }
  }
  /// The same of the lines and cells of a plane: outside two faces, the value of the lines' one counts.
  static __device__ __forceinline__ void put_faces(const Task& task, const WindowPlaces& places,
                                                   VolumeNear<S> (&near)[S::fields]) {
#pragma unroll
    for (i32 f = 0; f < S::fields; ++f) {
      if (!S::is_near(f)) continue;
      // Lines of other threads have neighbours along them for corners alone.
      constexpr i32 begin = S::Cell::corners ? 0 : 1, more = S::Cell::corners ? 2 : 1;
#pragma unroll
      for (i32 i = begin; i < S::lines + more; ++i) put_cells(task.operands.faces[2], places, near[f].at[i]);
#pragma unroll
      for (i32 c = begin; c < S::cells + more; ++c) put_lines(task.operands.faces[1], places, near[f], c);
    }
  }
  static __device__ __forceinline__ void put_cells(const FacesOf<T>& faces, const WindowPlaces& places,
                                                   T (&line)[S::cells + 2]) {
    if (places.has_first_cell) line[0] = beyond_face(faces.low, faces.low_value, line[1], line[2]);
#pragma unroll
    for (i32 c = 0; c < S::cells; ++c) {
      if (places.last_cell == c) line[c + 2] = beyond_face(faces.high, faces.high_value, line[c + 1], line[c]);
    }
  }
  static __device__ __forceinline__ void put_lines(const FacesOf<T>& faces, const WindowPlaces& places,
                                                   VolumeNear<S>& near, i32 c) {
    if (places.has_first_line) {
      near.at[0][c] = beyond_face(faces.low, faces.low_value, near.at[1][c], near.at[2][c]);
    }
#pragma unroll
    for (i32 i = 0; i < S::lines; ++i) {
      if (places.last_line != i) continue;
      near.at[i + 2][c] = beyond_face(faces.high, faces.high_value, near.at[i + 1][c], near.at[i][c]);
    }
  }
};

}  // namespace terrace::stencil
