// One step of any stencil: a thread a cell, with any faces, arrays, mask and source.
#pragma once

#include "kernels/stencil/cell.hpp"
#include "kernels/stencil/cuda/lines.hpp"
#include "kernels/stencil/cuda/rows_kernel.cuh"

namespace terrace::stencil {

/// An axis of a grid.
template <class T>
struct AxisFaces {
  i64 extent;
  i64 reach;  // the stencil's radius, or 0 if the grid does not have the axis
  Face low, high;
  T low_value, high_value;  // of Face::value
};

/// A step of some rows.
template <class F, class T>
struct StepTask {
  typename F::template Constants<T> constants;
  Additions<T> additions;
  Lines<T> from[F::fields], to[F::fields];
  RowRange rows;  // that are made
  AxisFaces<T> axes[3];
  i32 continues;  // not 0: `from` has the rows beyond the grid's ends (periodic)
  i64 step;       // steps made before
  i64 width;      // cells of a row
  i64 segments;   // of a line of cells along axis 2, or of all rows where a row is a cell
};

/// The place of a cell: its row, which on a periodic axis may lie beyond the ends, and its indices along the other
/// axes.
struct Place {
  i64 row, middle, last;
};

/// The constant arrays at a cell.
template <class T>
struct ArraysAt {
  const StencilTask& task;
  i64 row, width, cell;  // cell: number in its row

  __device__ __forceinline__ T array(i32 number) const {
    return task.arrays[number].template row<T>(row, width)[cell];
  }
};

/// The values around a cell whose neighbours are all in the grid and, of each field, in one piece of memory.
template <class T, int fields>
struct InsideAt : ArraysAt<T> {
  const T* centre[fields];
  i64 line;  // cells from one line to the next

  __device__ __forceinline__ T operator()(i32 field, i32 d0, i32 d1, i32 d2) const {
    return centre[field][d0 * this->width + d1 * line + d2];
  }
};

/// The values around any cell.
template <class F, class T>
struct FacesAt : ArraysAt<T> {
  const StepTask<F, T>& step;
  Place place;

  __device__ T operator()(i32 field, i32 d0, i32 d1, i32 d2) const {
    const i64 middle = mapped(1, place.middle + d1), last = mapped(2, place.last + d2);
    i64 row = place.row + d0;
    if (step.continues == 0) {
      row = mapped(0, row);
      if (row < 0) return outside(0, row);
    }
    if (middle < 0) return outside(1, middle);
    if (last < 0) return outside(2, last);
    return step.from[field].row(row, this->width)[middle * step.axes[2].extent + last];
  }

 private:
  __device__ i64 mapped(i32 axis, i64 index) const {
    return mapped_index(index, step.axes[axis].extent, step.axes[axis].low, step.axes[axis].high);
  }
  __device__ T outside(i32 axis, i64 side) const {
    return side == low_outside ? step.axes[axis].low_value : step.axes[axis].high_value;
  }
};

template <class T>
__device__ __forceinline__ bool is_inside(const AxisFaces<T>& axis, i64 index) {
  return index >= axis.reach && index < axis.extent - axis.reach;
}

/// Lets `at` look at the cells around a place; false if they are not all in the grid and in one piece of memory.
template <class F, class T>
__device__ __forceinline__ bool look_inside(const StepTask<F, T>& step, const Place& place,
                                            InsideAt<T, F::fields>& at) {
  if (!is_inside(step.axes[2], place.last) || !is_inside(step.axes[1], place.middle)) return false;
  if (F::own_faces && !is_inside(step.axes[0], place.row)) return false;
  const i64 reach = step.axes[0].reach;
#pragma unroll
  for (i32 f = 0; f < F::fields; ++f) {
    const Lines<T>& from = step.from[f];
    const i32 piece = from.piece_of(place.row);
    const RowRange rows = from.rows_of(piece);
    if (place.row - reach < rows.begin || place.row + reach >= rows.end) return false;
    at.centre[f] = from.data[piece] + (place.row - rows.begin) * step.width + at.cell;
  }
  return true;
}

/// True if the cell keeps its values because of a face.
template <class F, class T>
__device__ bool is_kept(const StepTask<F, T>& step, const Position& position) {
  for (i32 axis = 0; axis < 3; ++axis) {
    const AxisFaces<T>& faces = step.axes[axis];
    if (is_kept(position.index[axis], faces.extent, faces.reach, faces.low, faces.high)) return true;
  }
  return false;
}

template <class F, class T>
__device__ Position position_of(const StepTask<F, T>& step, const Place& place) {
  const i64 rows = step.axes[0].extent, row = place.row % rows;
  return {{row < 0 ? row + rows : row, place.middle, place.last},
          {rows, step.axes[1].extent, step.axes[2].extent},
          step.step};
}

/// Makes a cell near a face or a piece's end. @return false if it keeps its values
template <class F, class T>
__device__ bool make_at_face(const StepTask<F, T>& step, const Place& place, const ArraysAt<T>& arrays,
                             T (&made)[F::fields]) {
  const FacesAt<F, T> at{arrays, step, place};
  const Position position = position_of(step, place);
  if constexpr (F::own_faces) {
    F::rim_cell(step.constants, at, position, made);
  } else {
    if (is_kept(step, position)) return false;
    F::template cell<T>(step.constants, at, made);
  }
  add_source(step.additions, at, made);
  return true;
}

template <class F, class T>
__device__ __forceinline__ void step_cell(const StepTask<F, T>& step, const StencilTask& task, const Place& place) {
  InsideAt<T, F::fields> inside{
      {task, place.row, step.width, place.middle * step.axes[2].extent + place.last}, {}, step.axes[2].extent};
  T made[F::fields];
  bool changes = step.additions.mask < 0 || inside.array(step.additions.mask) == T(0);
  if (changes) {
    if (look_inside(step, place, inside)) {
      F::template cell<T>(step.constants, inside, made);
      add_source(step.additions, inside, made);
    } else {
      changes = make_at_face(step, place, inside, made);
    }
  }
#pragma unroll
  for (i32 f = 0; f < F::fields; ++f) {
    step.to[f].row(place.row, step.width)[inside.cell] =
        changes ? made[f] : step.from[f].row(place.row, step.width)[inside.cell];
  }
}

/// Thread blocks take segments of lines in turn: as many cells along axis 2 as they have threads, or as many rows
/// where a row is a cell.
template <class F, class T>
__global__ void step_kernel(const StencilState* state, const __grid_constant__ StepTask<F, T> step) {
  if (state->begun == 0) return;
  const StencilTask& task = state->task;
  if (step.width == 1) {
    for (i64 row = step.rows.begin + first_of_thread(); row < step.rows.end; row += threads_of_launch()) {
      step_cell(step, task, {row, 0, 0});
    }
    return;
  }
  const i64 lines = step.rows.count() * step.axes[1].extent;
  for (i64 segment = blockIdx.x; segment < lines * step.segments; segment += gridDim.x) {
    const i64 line = segment / step.segments;
    const i64 last = segment % step.segments * static_cast<i64>(blockDim.x) + threadIdx.x;
    if (last >= step.axes[2].extent) continue;
    step_cell(step, task, {step.rows.begin + line / step.axes[1].extent, line % step.axes[1].extent, last});
  }
}

}  // namespace terrace::stencil
