// Boxes of cells, and the way of a thread block over them.
#pragma once

#include "kernels/stencil/task.hpp"

namespace terrace::stencil {

/// Cells of the grid along the three axes, half-open. Along a periodic axis they may lie beyond its ends.
struct GridBox {
  i64 begin[most_rank], end[most_rank];

  __device__ bool is_empty() const { return begin[0] >= end[0] || begin[1] >= end[1] || begin[2] >= end[2]; }
};

/// Cells along the three axes, half-open, counted from the first one of a patch.
struct PatchBox {
  i32 begin[most_rank], end[most_rank];

  __device__ __forceinline__ i32 extent(i32 axis) const {
    return end[axis] > begin[axis] ? end[axis] - begin[axis] : 0;
  }
  __device__ __forceinline__ i32 cells() const { return extent(0) * extent(1) * extent(2); }
};

__device__ __forceinline__ bool is_same_box(const PatchBox& a, const PatchBox& b) {
  bool is_same = true;
  for (i32 axis = 0; axis < most_rank; ++axis) {
    is_same &= a.begin[axis] == b.begin[axis] && a.end[axis] == b.end[axis];
  }
  return is_same;
}

/// The threads of a thread block in groups side by side, each for a part of a line: a warp, or a part of one.
struct LineGroups {
  i32 lanes, lane, group, groups;  // threads of a group; the thread in its group; its group; all groups

  /// @param bits of the number of threads of a group
  __device__ __forceinline__ explicit LineGroups(i32 bits)
      : lanes(1 << bits),
        lane(static_cast<i32>(threadIdx.x) & (lanes - 1)),
        group(static_cast<i32>(threadIdx.x) >> bits),
        groups(static_cast<i32>(blockDim.x) >> bits) {}
  /// The bits for lines of so many cells.
  static __device__ __forceinline__ i32 bits_for(i32 width) {
    if (width > 32) return (width - 1) % 32 < 16 ? 4 : 5;  // few cells are left for threads of a last warp
    i32 bits = 5;
    while (bits > 0 && 1 << (bits - 1) >= width) --bits;
    return bits;
  }
};

/// Calls visit(index, lanes) for the lines of a box, by all threads of a thread block: lines side by side. Of the
/// line a thread takes the cells index[2], index[2] + lanes, ...
template <class Visit>
__device__ __forceinline__ void for_each_line(const PatchBox& box, const Visit& visit) {
  const i32 middles = box.extent(1), lines = box.extent(0) * middles;
  const LineGroups threads(LineGroups::bits_for(box.extent(2)));
#pragma unroll 1
  for (i32 line = threads.group; line < lines; line += threads.groups) {
    const i32 plane = middles == 1 ? line : line / middles;
    const i32 index[] = {box.begin[0] + plane, box.begin[1] + (line - plane * middles), box.begin[2] + threads.lane};
    visit(index, threads.lanes);
  }
}

/// Finds the cell number n of those of a box that are not in `inner`, a box in it. @return false if there are fewer
__device__ __forceinline__ bool find_around(const PatchBox& box, const PatchBox& inner, i32 n,
                                            i32 (&index)[most_rank]) {
  PatchBox rest = box, found{};
  bool is_found = false;
#pragma unroll
  for (i32 side = 0; side < 2 * most_rank; ++side) {
    const i32 axis = side / 2;
    PatchBox slab = rest;
    (side % 2 == 0 ? slab.end : slab.begin)[axis] = (side % 2 == 0 ? inner.begin : inner.end)[axis];
    const i32 count = slab.cells();
    if (!is_found && n < count) found = slab;
    is_found |= n < count;
    if (!is_found) n -= count;
    if (side % 2 == 0) continue;
    rest.begin[axis] = inner.begin[axis];
    rest.end[axis] = inner.end[axis];
  }
  if (!is_found) return false;
  const i32 width = found.extent(2), line = n / width, plane = line / found.extent(1);
  index[0] = found.begin[0] + plane;
  index[1] = found.begin[1] + (line - plane * found.extent(1));
  index[2] = found.begin[2] + (n - line * width);
  return true;
}

}  // namespace terrace::stencil
