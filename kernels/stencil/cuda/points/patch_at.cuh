// The values around cells of a level that a thread block has in a patch, and the cells at the grid's rim.
#pragma once

#include "kernels/stencil/cuda/steps/kernel.cuh"

namespace terrace::stencil {

/// The index in the grid of one that may lie beyond the ends of a periodic axis.
__device__ __forceinline__ i64 index_in(i64 index, i64 extent) {
  return index >= 0 && index < extent ? index : wrapped_row(index, extent);
}
/// The row of a cell as the block's rows are counted: slabs of a periodic axis have those beyond the ends.
template <class F, class T>
__device__ __forceinline__ i64 row_of(const StepTask<F, T>& levels, const i64 (&index)[most_rank]) {
  return levels.continues != 0 ? index[0] : index_in(index[0], levels.axes[0].extent);
}
/// Its number in its row.
template <class F, class T>
__device__ __forceinline__ i64 cell_of(const StepTask<F, T>& levels, const i64 (&index)[most_rank]) {
  return index_in(index[1], levels.axes[1].extent) * levels.axes[2].extent +
         index_in(index[2], levels.axes[2].extent);
}

/// The cells of a thread in planes one after another, and where they are.
/// @tparam has_arrays false: the stencil has no constant arrays
template <class F, class T, bool has_arrays>
struct PatchCells {
  const StepTask<F, T>& levels;
  const T* centre;         // the first cell's value of field 0
  const T* constant;       // its value of constant array 0
  i32 field, plane, line;  // values from one field or array, plane and line to the next
  i64 indices[most_rank];  // of the first cell, along periodic axes perhaps beyond the ends
  i64 steps;               // made before

  __device__ __forceinline__ LineCells<T> operator()(i32 number, i32 d0, i32 d1, i32 d2) const {
    LineCells<T> cells;
#pragma unroll
    for (i32 n = 0; n < cells.count; ++n) cells.v[n] = centre[number * field + (d0 + n) * plane + d1 * line + d2];
    return cells;
  }
  __device__ __forceinline__ LineCells<T> array(i32 number) const {
    if constexpr (!has_arrays) __builtin_unreachable();
    LineCells<T> cells;
#pragma unroll
    for (i32 n = 0; n < cells.count; ++n) cells.v[n] = constant[number * field + n * plane];
    return cells;
  }
  __device__ __forceinline__ i64 index(i32 axis, i32 n) const {
    return index_in(indices[axis] + (axis == 0 ? n : 0), levels.axes[axis].extent);
  }
  __device__ __forceinline__ i64 extent(i32 axis) const { return levels.axes[axis].extent; }
  __device__ __forceinline__ i64 step() const { return steps; }
};

/// The values around any cell, for operators that say themselves what happens at faces.
template <class F, class T>
struct PatchRimAt {
  const StepTask<F, T>& levels;
  const T *centre, *constant;
  i32 field, plane, line;
  i64 indices[most_rank], steps;

  __device__ T operator()(i32 number, i32 d0, i32 d1, i32 d2) const {
    const i32 offset[] = {d0, d1, d2};
    i32 moved[most_rank];
    for (i32 axis = 0; axis < most_rank; ++axis) {
      const AxisFaces<T>& faces = levels.axes[axis];
      moved[axis] = offset[axis];
      if (offset[axis] == 0 || faces.low == Face::periodic) continue;
      const i64 at = mapped_index(indices[axis] + offset[axis], faces.extent, faces.low, faces.high);
      if (at < 0) return at == low_outside ? faces.low_value : faces.high_value;
      moved[axis] = static_cast<i32>(at - indices[axis]);
    }
    return centre[number * field + moved[0] * plane + moved[1] * line + moved[2]];
  }
  __device__ T array(i32 number) const { return constant[number * field]; }
  __device__ i64 index(i32 axis, i32 = 0) const { return index_in(indices[axis], levels.axes[axis].extent); }
  __device__ i64 extent(i32 axis) const { return levels.axes[axis].extent; }
  __device__ i64 step() const { return steps; }
};

/// Makes a cell at the grid's rim from the level before.
template <class F, class T>
__device__ __noinline__ void make_at_rim(const PatchRimAt<F, T>& near, T* to) {
  const StepTask<F, T>& levels = near.levels;
  const Position position{
      {near.index(0), near.index(1), near.index(2)}, {near.extent(0), near.extent(1), near.extent(2)}, near.step()};
  const bool changes = levels.additions.mask < 0 || near.array(levels.additions.mask) == T(0);
  T made[F::fields];
  if (changes) {
    F::rim_cell(levels.constants, near, position, made);
    add_source(levels.additions, near, made);
  }
  for (i32 f = 0; f < F::fields; ++f) to[f * near.field] = changes ? made[f] : near.centre[f * near.field];
}

}  // namespace terrace::stencil
