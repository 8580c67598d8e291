// The values around a cell of a level that a thread block has in a box of cells, and the cells at its rim.
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

/// The values of a level of a patch around a cell whose neighbours are all in the grid.
template <class F, class T>
struct PatchAt {
  const StepTask<F, T>& levels;
  const StencilTask& block;
  i64 indices[most_rank], steps;  // of the cell, along periodic axes perhaps beyond the ends; steps made before
  const T* centre;                // the cell's value of field 0
  i32 field_cells, plane, line;   // cells from one field, plane and line to the next

  __device__ __forceinline__ T operator()(i32 field, i32 d0, i32 d1, i32 d2) const {
    return centre[field * field_cells + d0 * plane + d1 * line + d2];
  }
  __device__ __forceinline__ T array(i32 number) const {
    return block.arrays[number].template row<T>(row_of(levels, indices), levels.width)[cell_of(levels, indices)];
  }
  __device__ __forceinline__ i64 index(i32 axis, i32 = 0) const {
    return index_in(indices[axis], levels.axes[axis].extent);
  }
  __device__ __forceinline__ i64 extent(i32 axis) const { return levels.axes[axis].extent; }
  __device__ __forceinline__ i64 step() const { return steps; }
};

/// The same around any cell.
template <class F, class T>
struct PatchFacesAt : PatchAt<F, T> {
  using Base = PatchAt<F, T>;

  __device__ T operator()(i32 field, i32 d0, i32 d1, i32 d2) const {
    const i64 offset[] = {d0, d1, d2};
    i64 moved[most_rank];
    for (i32 axis = 0; axis < most_rank; ++axis) {
      const AxisFaces<T>& faces = this->levels.axes[axis];
      moved[axis] = offset[axis];
      if (offset[axis] == 0 || faces.low == Face::periodic) continue;
      const i64 at = mapped_index(this->indices[axis] + offset[axis], faces.extent, faces.low, faces.high);
      if (at < 0) return at == low_outside ? faces.low_value : faces.high_value;
      moved[axis] = at - this->indices[axis];
    }
    return Base::centre[field * Base::field_cells + moved[0] * Base::plane + moved[1] * Base::line + moved[2]];
  }
};

/// Makes any cell of a level from the level before, beside the code of those whose neighbours are all in the grid.
template <class F, class T>
__device__ __noinline__ void make_at_rim(const PatchFacesAt<F, T>& near, T* to) {
  const StepTask<F, T>& levels = near.levels;
  const Position position{
      {near.index(0), near.index(1), near.index(2)}, {near.extent(0), near.extent(1), near.extent(2)}, near.step()};
  bool changes = levels.additions.mask < 0 || near.array(levels.additions.mask) == T(0);
  T made[F::fields];
  if constexpr (!F::own_faces) changes = changes && !is_kept(levels, position);
  if (changes) {
    if constexpr (F::own_faces) F::rim_cell(levels.constants, near, position, made);
    else F::template cell<T>(levels.constants, near, made);
    add_source(levels.additions, near, made);
  }
  for (i32 f = 0; f < F::fields; ++f) {
    to[f * near.field_cells] = changes ? made[f] : near.centre[f * near.field_cells];
  }
}

}  // namespace terrace::stencil
