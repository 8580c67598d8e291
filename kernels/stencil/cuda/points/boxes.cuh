// Boxes of cells, and the way of a thread block over them.
#pragma once

#include "kernels/stencil/task.hpp"

namespace terrace::stencil {

/// Cells along the three axes, half-open. Along a periodic axis they may lie beyond the grid's ends.
struct PatchBox {
  i64 begin[most_rank], end[most_rank];

  __device__ __forceinline__ i64 extent(i32 axis) const {
    return end[axis] > begin[axis] ? end[axis] - begin[axis] : 0;
  }
  __device__ __forceinline__ i64 cells() const { return extent(0) * extent(1) * extent(2); }
};

/// The offset of a cell in a box, row-major.
__device__ __forceinline__ i32 offset_in(const PatchBox& all, const i64 (&index)[most_rank]) {
  const i32 line = static_cast<i32>(index[0] - all.begin[0]) * static_cast<i32>(all.extent(1)) +
                   static_cast<i32>(index[1] - all.begin[1]);
  return line * static_cast<i32>(all.extent(2)) + static_cast<i32>(index[2] - all.begin[2]);
}

/// Calls visit(index, offset) for the cells of a box, by all threads of a thread block: lines side by side, a line by
/// the lanes of a warp or of a part of it. The offset is the cell's in the box `all`.
template <class Visit>
__device__ __forceinline__ void for_each_cell(const PatchBox& box, const PatchBox& all, const Visit& visit) {
  const i32 width = static_cast<i32>(box.extent(2)), middles = static_cast<i32>(box.extent(1)),
            lines = static_cast<i32>(box.extent(0)) * middles;
  if (width == 0) return;
  const i32 line_cells = static_cast<i32>(all.extent(2)), plane_cells = line_cells * static_cast<i32>(all.extent(1));
  i32 lanes = 32;
  while (lanes > 1 && lanes / 2 >= width) lanes /= 2;
  const i32 thread = static_cast<i32>(threadIdx.x), step = static_cast<i32>(blockDim.x) / lanes;
  const i32 first = offset_in(all, box.begin);
  for (i32 cell = thread % lanes; cell < width; cell += lanes) {
    for (i32 line = thread / lanes; line < lines; line += step) {
      const i32 plane = middles == 1 ? line : line / middles, middle = line - plane * middles;
      const i64 index[] = {box.begin[0] + plane, box.begin[1] + middle, box.begin[2] + cell};
      visit(index, first + plane * plane_cells + middle * line_cells + cell);
    }
  }
}

/// The same for a box of few cells whose visits take long: each by a thread of its own, where there are enough.
/// @param turn cells that threads have taken before in this way; raised by those of the box
template <class Visit>
__device__ __forceinline__ void for_each_cell_apart(const PatchBox& box, const PatchBox& all, i32& turn,
                                                    const Visit& visit) {
  const i32 width = static_cast<i32>(box.extent(2)), middles = static_cast<i32>(box.extent(1)),
            count = static_cast<i32>(box.cells()), threads = static_cast<i32>(blockDim.x);
  for (i32 n = (static_cast<i32>(threadIdx.x) + threads - turn % threads) % threads; n < count; n += threads) {
    const i32 line = n / width, plane = line / middles;
    const i64 index[] = {box.begin[0] + plane, box.begin[1] + (line - plane * middles),
                         box.begin[2] + (n - line * width)};
    visit(index, offset_in(all, index));
  }
  turn += count;
}

/// The same for the cells of a box that are not in `inner`, a box in it.
template <class Visit>
__device__ __forceinline__ void for_each_cell_around(const PatchBox& box, const PatchBox& inner, const PatchBox& all,
                                                     const Visit& visit) {
  bool is_inner = true;
  for (i32 axis = 0; axis < most_rank; ++axis) {
    is_inner &= inner.begin[axis] == box.begin[axis] && inner.end[axis] == box.end[axis];
  }
  if (is_inner) return;
  PatchBox rest = box;
  i32 turn = 0;
#pragma unroll 1
  for (i32 side = 0; side < 2 * most_rank; ++side) {
    const i32 axis = side / 2;
    PatchBox slab = rest;
    (side % 2 == 0 ? slab.end : slab.begin)[axis] = (side % 2 == 0 ? inner.begin : inner.end)[axis];
    for_each_cell_apart(slab, all, turn, visit);
    if (side % 2 == 0) continue;
    rest.begin[axis] = inner.begin[axis];
    rest.end[axis] = inner.end[axis];
  }
}

}  // namespace terrace::stencil
