// One step of any stencil, with any faces, arrays, mask and source.
//
// A thread takes some cells of a line, and of the same line of some rows. Those whose neighbours are all in the grid
// and in one piece of memory are made side by side, row after row, and so are those that a fixed face keeps; the
// others one by one.
#pragma once

#include "kernels/stencil/cell.hpp"
#include "kernels/stencil/cuda/common/lines.hpp"
#include "kernels/stencil/cuda/common/rows_kernel.cuh"
#include "kernels/stencil/cuda/steps/line_cells.cuh"

namespace terrace::stencil {

using device::u32;

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
  u32 lines;      // along axis 2, those of `tall` rows counted once; 1 where a row is a cell: all rows
  u32 segments;   // of a line, as many cells as a thread block makes
  i32 tall;       // rows that a thread makes
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

/// The index of a row, which on a periodic axis may lie beyond the ends.
__device__ __forceinline__ i64 wrapped_row(i64 row, i64 rows) {
  row %= rows;
  return row < 0 ? row + rows : row;
}

/// The values around a thread's cells.
template <class F, class T>
struct LineAt {
  const StepTask<F, T>& step_task;
  const StencilTask& task;
  i64 row, width, cell;        // of the first one; cell: number in its row
  i64 line;                    // cells from one line to the next
  i64 middle, last;            // indices of the first one
  const T* centre[F::fields];  // its values

  __device__ __forceinline__ LineCells<T> operator()(i32 field, i32 d0, i32 d1, i32 d2) const {
    return LineCells<T>::load(centre[field] + (d0 * width + d1 * line + d2));
  }
  __device__ __forceinline__ LineCells<T> array(i32 number) const {
    const Rows& rows = task.arrays[number];
    if (width > 1) return LineCells<T>::load(rows.template row<T>(row, width) + cell);
    LineCells<T> cells;
#pragma unroll
    for (i32 r = 0; r < cells.count; ++r) cells.v[r] = *rows.template row<T>(row + r * cells.apart, 1);
    return cells;
  }
  /// The index of one of the cells along an axis.
  __device__ __forceinline__ i64 index(i32 axis, i32 lane) const {
    const i64 more = lane * LineCells<T>::apart;
    if (axis == 0) return wrapped_row(row + (width == 1 ? more : 0), step_task.axes[0].extent);
    return axis == 1 ? middle : last + (width == 1 ? 0 : more);
  }
  __device__ __forceinline__ i64 extent(i32 axis) const { return step_task.axes[axis].extent; }
  __device__ __forceinline__ i64 step() const { return step_task.step; }
};

/// The values around any cell.
template <class F, class T>
struct FacesAt : ArraysAt<T> {
  const StepTask<F, T>& step_task;
  Place place;

  __device__ i64 index(i32 axis, i32) const {
    return axis == 0 ? wrapped_row(place.row, step_task.axes[0].extent) : axis == 1 ? place.middle : place.last;
  }
  __device__ i64 extent(i32 axis) const { return step_task.axes[axis].extent; }
  __device__ i64 step() const { return step_task.step; }

  __device__ T operator()(i32 field, i32 d0, i32 d1, i32 d2) const {
    const i64 middle = d1 == 0 ? place.middle : mapped(1, place.middle + d1),
              last = d2 == 0 ? place.last : mapped(2, place.last + d2);
    i64 row = place.row + d0;
    if (d0 != 0 && step_task.continues == 0) {
      row = mapped(0, row);
      if (row < 0) return outside(0, row);
    }
    if (middle < 0) return outside(1, middle);
    if (last < 0) return outside(2, last);
    return step_task.from[field].row(row, this->width)[middle * step_task.axes[2].extent + last];
  }

 private:
  __device__ i64 mapped(i32 axis, i64 index) const {
    const AxisFaces<T>& faces = step_task.axes[axis];
    return mapped_index(index, faces.extent, faces.low, faces.high);
  }
  __device__ T outside(i32 axis, i64 side) const {
    return side == low_outside ? step_task.axes[axis].low_value : step_task.axes[axis].high_value;
  }
};

template <class T>
__device__ __forceinline__ bool is_inside(const AxisFaces<T>& axis, i64 index) {
  return index >= axis.reach && index < axis.extent - axis.reach;
}

/// The values of row `begin` on, if rows [begin - reach, end + reach) are in one piece of memory; null if not.
template <class T>
__device__ __forceinline__ T* rows_at(const Lines<T>& lines, i64 width, RowRange range, i64 reach) {
  const i32 piece = lines.piece_of(range.begin);
  const RowRange rows = lines.rows_of(piece);
  if (range.begin - reach < rows.begin || range.end + reach > rows.end) return nullptr;
  return lines.data[piece] + (range.begin - rows.begin) * width;
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
  const i64 rows = step.axes[0].extent;
  return {{wrapped_row(place.row, rows), place.middle, place.last},
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

/// Makes one cell.
template <class F, class T>
__device__ __noinline__ void step_cell(const StepTask<F, T>& step, const StencilTask& task, const Place& place) {
  const i64 cell = place.middle * step.axes[2].extent + place.last;
  const ArraysAt<T> arrays{task, place.row, step.width, cell};
  T made[F::fields];
  const bool changes = (step.additions.mask < 0 || arrays.array(step.additions.mask) == T(0)) &&
                       make_at_face(step, place, arrays, made);
#pragma unroll
  for (i32 f = 0; f < F::fields; ++f) {
    step.to[f].row(place.row, step.width)[cell] = changes ? made[f] : step.from[f].row(place.row, step.width)[cell];
  }
}

/// Makes the cells of a thread in `count` rows, those of a row side by side. @param first of them
/// @return a bit for each one of a row that is left: its neighbours are not all in the grid and in one piece of
/// memory
template <class F, class T>
__device__ __forceinline__ u32 step_side_by_side(const StepTask<F, T>& step, const StencilTask& task,
                                                 const Place& first, i32 count) {
  using Cells = LineCells<T>;
  constexpr u32 all = (1u << Cells::count) - 1;
  constexpr i64 span = (Cells::count - 1) * Cells::apart;
  const bool of_rows = step.width == 1;
  const AxisFaces<T>& along = step.axes[of_rows ? 0 : 2];
  const i64 begin = of_rows ? first.row : first.last;
  if (begin + span >= (of_rows ? step.rows.end : along.extent) || !is_inside(step.axes[1], first.middle)) return all;
  // A grid of one column may have another axis, along which no neighbour is inside.
  if (of_rows && !is_inside(step.axes[2], first.last)) return all;
  const RowRange rows{first.row, first.row + (of_rows ? span + 1 : count)};
  if (F::own_faces && !(is_inside(step.axes[0], rows.begin) && is_inside(step.axes[0], rows.end - 1))) return all;
  const bool at_rim = !of_rows && !(is_inside(along, begin) && is_inside(along, begin + span));
  LineAt<F, T> at{step,
                  task,
                  first.row,
                  step.width,
                  first.middle * step.axes[2].extent + first.last,
                  step.axes[2].extent,
                  first.middle,
                  first.last,
                  {}};
  T* to[F::fields];
#pragma unroll
  for (i32 f = 0; f < F::fields; ++f) {
    // Around a cell of a rim, values beyond its row's end are read.
    const T* from = rows_at(step.from[f], step.width, rows, step.axes[0].reach + (at_rim ? 1 : 0));
    to[f] = rows_at(step.to[f], step.width, rows, 0);
    if (from == nullptr || to[f] == nullptr) return all;
    at.centre[f] = from + at.cell;
    to[f] += at.cell;
  }
  u32 kept = 0, left = 0;
  if (at_rim) {
#pragma unroll
    for (i32 r = 0; r < Cells::count; ++r) {
      const i64 index = begin + r * Cells::apart;
      if (is_inside(along, index)) continue;
      if (!F::own_faces && is_kept(index, along.extent, along.reach, along.low, along.high)) kept |= 1u << r;
      else left |= 1u << r;
    }
  }
#pragma unroll 1
  for (i32 row = 0; row < count; ++row) {
    u32 kept_here = kept;
    if (step.additions.mask >= 0) {
      const Cells mask = at.array(step.additions.mask);
#pragma unroll
      for (i32 r = 0; r < Cells::count; ++r) kept_here |= mask.v[r] == T(0) ? 0 : 1u << r;
    }
    Cells made[F::fields];
    F::template cell<Cells>(step.constants, at, made);
    add_source(step.additions, at, made);
#pragma unroll
    for (i32 f = 0; f < F::fields; ++f) {
#pragma unroll
      for (i32 r = 0; r < Cells::count; ++r) {
        if ((left >> r & 1) != 0) continue;
        to[f][r * Cells::apart] = (kept_here >> r & 1) != 0 ? at.centre[f][r * Cells::apart] : made[f].v[r];
      }
      at.centre[f] += step.width;
      to[f] += step.width;
    }
    ++at.row;
  }
  return left;
}

/// The number of a bit that is set. @param n bits below it are set
__device__ __forceinline__ i32 set_bit(u32 bits, i32 n) {
  for (; n > 0; --n) bits &= bits - 1;
  return __ffs(static_cast<i32>(bits)) - 1;
}

/// Makes the cells of a warp's threads that are left in `count` rows, each lane another one. All lanes call it.
/// @param first of the thread's cells @param left a bit for each one of a row that is left
template <class F, class T>
__device__ __forceinline__ void step_left(const StepTask<F, T>& step, const StencilTask& task, const Place& first,
                                          i32 count, u32 left) {
  using Cells = LineCells<T>;
  if (!__any_sync(~0u, left != 0)) return;
  const i32 lane = static_cast<i32>(threadIdx.x % 32);
#pragma unroll 1
  for (i32 r = 0; r < Cells::count; ++r) {
    const u32 lanes = __ballot_sync(~0u, (left >> r & 1) != 0);
    const i32 cells = __popc(lanes);
    for (i32 n = lane; n < cells * count; n += 32) {
      const i32 row = n / cells, apart = set_bit(lanes, n - row * cells) - lane + r * Cells::apart;
      Place place = first;
      place.row += row;
      (step.width == 1 ? place.row : place.last) += apart;
      step_cell(step, task, place);
    }
  }
}

/// Makes the cells of a thread in `count` rows. All lanes of a warp call it. @param cells of a row's that exist
template <class F, class T>
__device__ __forceinline__ void step_rows(const StepTask<F, T>& step, const StencilTask& task, const Place& first,
                                          i32 count, i32 cells) {
  constexpr u32 all = (1u << LineCells<T>::count) - 1;
  const u32 left = cells > 0 ? step_side_by_side(step, task, first, count) : 0, existing = (1u << cells) - 1;
  const bool is_apart = count > 1 && left == all;
  step_left(step, task, first, count, is_apart ? 0 : left & existing);
  if (!__any_sync(~0u, is_apart)) return;
  // Rows are tried one by one, where together they are not in one piece.
  Place place = first;
  for (i32 row = 0; row < count; ++row) {
    step_left(step, task, place, 1, is_apart ? step_side_by_side(step, task, place, 1) & existing : 0);
    ++place.row;
  }
}

/// Thread blocks take segments of lines in turn.
template <class F, class T>
__global__ void step_kernel(const StencilState* state, const __grid_constant__ StepTask<F, T> step) {
  if (state->begun == 0) return;
  using Cells = LineCells<T>;
  const StencilTask& task = state->task;
  const u32 lane = threadIdx.x % 32, segments = step.lines * step.segments;
  const bool of_rows = step.width == 1;
  const i64 end = of_rows ? step.rows.count() : step.axes[2].extent;
  for (u32 segment = blockIdx.x; segment < segments; segment += gridDim.x) {
    const u32 line = segment / step.segments, middles = static_cast<u32>(step.axes[1].extent);
    const i64 begin =
        i64{segment % step.segments} * blockDim.x * Cells::count + (threadIdx.x - lane) * Cells::count + lane;
    const i64 above = of_rows ? 0 : i64{line / middles} * step.tall;
    const Place first =
        of_rows ? Place{step.rows.begin + begin, 0, 0} : Place{step.rows.begin + above, line % middles, begin};
    if (begin - lane >= end) continue;
    const i64 rows = step.rows.count() - above,
              cells = begin < end ? (end - begin + Cells::apart - 1) / Cells::apart : 0;
    step_rows(step, task, first, of_rows ? 1 : static_cast<i32>(rows < step.tall ? rows : i64{step.tall}),
              static_cast<i32>(cells < Cells::count ? cells : i64{Cells::count}));
  }
}

}  // namespace terrace::stencil
