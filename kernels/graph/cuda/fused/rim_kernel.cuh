// The rim of a cluster: the cells that depend on values outside of the arrays. A thread block makes a tile of them,
// member after member in shared memory, each only inside of its array.
#pragma once

#include "kernels/device/instructions.cuh"
#include "kernels/graph/cuda/fused/member.cuh"
#include "kernels/graph/cuda/fused/work.hpp"
#include "kernels/graph/stored.hpp"

namespace terrace::graph {

/// Values of a member in shared memory.
template <class T>
struct RimValues {
  T* data;
  Area area;

  __device__ __forceinline__ T& at(i64 i, i64 j) const {
    return data[(i - area.rows.begin) * area.columns.size() + j - area.columns.begin];
  }
};

/// A thread block's part of a rim.
struct RimTile {
  Shape shape;  // of the arrays
  Area area;

  /// The cells inside of the array so far around the tile.
  __device__ __forceinline__ Area around(i64 rows, i64 columns) const {
    const auto along = [](Range range, i64 reach, i64 extent) -> Range {
      range = widened(range, reach);
      return {range.begin < 0 ? 0 : range.begin, range.end > extent ? extent : range.end};
    };
    return {along(area.rows, rows, shape.rows), along(area.columns, columns, shape.columns)};
  }
};

/// The value of an operand of a member, whose boundary decides outside. @param inside (row, column)
template <class Member, class T, class Inside>
__device__ __forceinline__ T read_inside(const ClusterWork& work, i64 i, i64 j, const Inside& inside) {
  i = index_inside(i, work.shape.rows, Member::boundary);
  j = index_inside(j, work.shape.columns, Member::boundary);
  return i == outside || j == outside ? Member::boundary_value() : inside(i, j);
}

/// A value that is made outside of the cluster; something else in rows that are not there.
template <class T, class Stored>
__device__ __forceinline__ T read_value(const ClusterRead& from, i64 i, i64 j) {
  i32 n = 0;
  while (n + 1 < most_pieces && (i < from.pieces[n].rows.begin || i >= from.pieces[n].rows.end)) ++n;
  const ClusterPiece& piece = from.pieces[i < from.pieces[n].rows.begin || i >= from.pieces[n].rows.end ? 0 : n];
  const i64 row = i < piece.rows.begin ? piece.rows.begin : i < piece.rows.end ? i : piece.rows.end - 1;
  return loaded<T>(piece.memory.row<const Stored>(row)[j]);
}

/// Calls make(row, column) for the cells of an area, by the threads of a block.
template <class Make>
__device__ __forceinline__ void over_cells(const Area& area, const Make& make) {
  const auto across = static_cast<u32>(area.columns.size()), count = static_cast<u32>(area.rows.size()) * across;
  for (u32 n = threadIdx.x; n < count; n += rim_threads) {
    make(area.rows.begin + n / across, area.columns.begin + n % across);
  }
}

/// Makes the values of a member by the threads of a block. @param read (operand, row, column)
template <class Member, class T, class Read>
__device__ __forceinline__ void make_rim_values(const ClusterWork& work, const RimValues<T>& made, const Read& read) {
  const MemberConstants<Member, T> own(work.numbers);
  const PlacedRead<Read> placed{read, 0, 0, work.shape};
  over_cells(made.area, [&](i64 i, i64 j) { made.at(i, j) = Member::Op::cell(own.constants(), placed, i, j); });
  __syncthreads();
}

/// Writes the rows of a member that are wanted.
template <class T>
__device__ __forceinline__ void write_rim(const RimTile& tile, const ClusterMade& to, const RimValues<T>& made) {
  over_cells(tile.area, [&](i64 i, i64 j) {
    if (i >= to.rows.begin && i < to.rows.end) to.memory.row<T>(i)[j] = made.at(i, j);
  });
}

template <class Cluster>
__global__ void __launch_bounds__(rim_threads) make_rim_kernel(const __grid_constant__ ClusterWork work) {
  if (work.state->usable == 0) return;
  u32 number = blockIdx.x;
  i32 band = 0;
  while (band + 1 < rim_bands && number >= tiles_of(work.bands[band], work.tiles[band])) {
    number -= tiles_of(work.bands[band], work.tiles[band]);
    ++band;
  }
  const Area& all = work.bands[band];
  const Shape extent = work.tiles[band];
  const u32 across = tiles_along(all.columns, extent.columns);
  const i64 i = all.rows.begin + number / across * extent.rows;
  const i64 j = all.columns.begin + number % across * extent.columns;
  const RimTile tile{work.shape,
                     {{i, i + extent.rows < all.rows.end ? i + extent.rows : all.rows.end},
                      {j, j + extent.columns < all.columns.end ? j + extent.columns : all.columns.end}}};
  Cluster::rim(work, tile, reinterpret_cast<typename Cluster::Value*>(device::launch_shared_memory()));
}

}  // namespace terrace::graph
