// Tiles of distances and trails on CUDA (trail.hpp). Factors are copied first, so that x may be u or v; a thread
// block relaxes a square of x in registers. No host library header: also compiled at run time.
#pragma once

#include "kernels/recursive/closure_kernel.cuh"
#include "kernels/recursive/trail.hpp"

namespace terrace::recursive {

inline constexpr i32 path_side = 64;   // rows and columns of x that a thread block relaxes, 4 x 4 a thread
inline constexpr i32 path_depth = 16;  // pivots whose columns of u and rows of v are in shared memory at a time

/// Distances and trails, in a tile or in a copy of a factor.
template <class T, class W>
struct PairView {
  T* distances;
  W* trails;
  i64 stride;

  __device__ __forceinline__ PairView at(i64 i, i64 j) const {
    return {distances + i * stride + j, trails + i * stride + j, stride};
  }
};

/// Takes (d, t) for (distance, trail) where it is smaller. Without branches.
template <class T, class W>
__device__ __forceinline__ bool take_smaller(T& distance, W& trail, T d, W t) {
  const bool better = (d < distance) | ((d == distance) & (t < trail));
  distance = better ? d : distance;
  trail = better ? t : trail;
  return better;
}

/// What is infinite in copies of factors: sums with it are not as small as any distance, an infinite one either.
template <class T>
__device__ __forceinline__ T nowhere() {
  if constexpr (same_type<T, float>) return __int_as_float(0x7FC00000);
  else if constexpr (same_type<T, double>) return __longlong_as_double(0x7FF8000000000000ll);
  else return infinity<T>();
}

/// A factor and its copy: of `rows` x `columns` pairs, or of those turned over, filled up with pairs that change
/// nothing to sides that are multiples of path_side.
template <class T, class W>
struct CopyTask {
  const TileState* state;
  PairView<T, W> from;
  i64 rows, columns;
  PairView<T, W> to;
  i64 copied_rows, copied_columns;
  i32 turned;  // not 0: to(i, j) is from(j, i)
  W mask;      // of the trails
};

template <class T, class W>
__global__ void __launch_bounds__(closure_threads) copy_pairs_kernel(CopyTask<T, W> task) {
  if (task.state->begun == 0) return;
  const i64 count = task.copied_rows * task.copied_columns;
  for (i64 at = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; at < count;
       at += static_cast<i64>(gridDim.x) * blockDim.x) {
    const i64 row = at / task.copied_columns, column = at % task.copied_columns;
    const i64 i = task.turned != 0 ? column : row, j = task.turned != 0 ? row : column;
    const bool there = i < task.rows && j < task.columns;
    const PairView<T, W> from = task.from.at(i, j), to = task.to.at(row, column);
    const T distance = there ? *from.distances : infinity<T>();
    *to.distances = distance < infinity<T>() ? distance : nowhere<T>();
    *to.trails = there ? *from.trails & task.mask : Trail<W>::none;
  }
}

/// x <- x + u * v by copies of u, turned over, and of v with trails without nodes.
template <class T, class W>
struct RelaxTask {
  const TileState* state;
  PairView<T, W> x;
  i64 rows, columns;
  PairView<T, W> u, v;  // of depth a multiple of path_depth
  i64 depth;
  i64 kept_row, kept_column;    // -1: none
  i64 kept_rows, kept_columns;  // so many rows and columns from there stay as they are
};

/// What distances are computed in: registers have no halves.
template <class T>
struct Distance {
  using Type = T;
};
template <>
struct Distance<i16> {
  using Type = i32;
};

/// Of a stage.
template <class T, class W>
struct PairStage {
  typename Distance<T>::Type u[path_depth][path_side], v[path_depth][path_side];
  W u_trails[path_depth][path_side], v_trails[path_depth][path_side];
};

template <class T, class W>
__device__ __forceinline__ void load_stage(const RelaxTask<T, W>& task, PairStage<T, W>& stage, i64 k0, i64 i0,
                                           i64 j0) {
  for (i32 at = static_cast<i32>(threadIdx.x); at < path_depth * path_side; at += closure_threads) {
    const i32 k = at / path_side, n = at % path_side;
    const PairView<T, W> u = task.u.at(k0 + k, i0 + n), v = task.v.at(k0 + k, j0 + n);
    stage.u[k][n] = *u.distances;
    stage.u_trails[k][n] = *u.trails;
    stage.v[k][n] = *v.distances;
    stage.v_trails[k][n] = *v.trails;
  }
}

/// A thread's 4 x 4 pairs of a square of x.
template <class T, class W>
struct PairPatch {
  using D = typename Distance<T>::Type;
  using Place = Patch<MinPlus, T>;
  D distances[4][4];
  W trails[4][4];

  /// The pivot of row k of a stage. Distances alone tell whether any of a row may become smaller, which is rare: only
  /// then are trails looked at.
  __device__ __forceinline__ void relax(const PairStage<T, W>& stage, i32 k) {
    D u[4], v[4];
#pragma unroll
    for (i32 n = 0; n < 4; ++n) {
      u[n] = stage.u[k][Place::row() + n];
      v[n] = stage.v[k][Place::column() + n];
    }
#pragma unroll
    for (i32 i = 0; i < 4; ++i) {
      bool near = false;
#pragma unroll
      for (i32 j = 0; j < 4; ++j) near |= MinPlus::times<D>(u[i], v[j]) <= distances[i][j];
      if (!near) continue;
      const W u_trail = stage.u_trails[k][Place::row() + i];
#pragma unroll
      for (i32 j = 0; j < 4; ++j) {
        take_smaller(distances[i][j], trails[i][j], MinPlus::times<D>(u[i], v[j]),
                     static_cast<W>(u_trail + stage.v_trails[k][Place::column() + j]));
      }
    }
  }
};

/// A thread block for each square of x, row after row.
template <class T, class W>
__global__ void __launch_bounds__(closure_threads) relax_pairs_kernel(RelaxTask<T, W> task) {
  if (task.state->begun == 0) return;
  __shared__ PairStage<T, W> stage;
  const i64 across = (task.columns + path_side - 1) / path_side;
  const i64 i0 = blockIdx.x / across * path_side, j0 = blockIdx.x % across * path_side;
  using Place = typename PairPatch<T, W>::Place;
  const PairView<T, W> x = task.x.at(i0, j0);
  PairPatch<T, W> patch;
  const auto rows = static_cast<i32>(task.rows - i0 < path_side ? task.rows - i0 : path_side);
  const auto columns = static_cast<i32>(task.columns - j0 < path_side ? task.columns - j0 : path_side);
  Place::each(rows, columns, x.stride, [&](i32 i, i32 j, bool there, i64 at) {
    patch.distances[i][j] = there ? x.distances[at] : infinity<T>();
    patch.trails[i][j] = there ? x.trails[at] : Trail<W>::none;
  });
  for (i64 k0 = 0; k0 < task.depth; k0 += path_depth) {
    __syncthreads();  // nobody reads the stage before any more
    load_stage(task, stage, k0, i0, j0);
    __syncthreads();
#pragma unroll 4
    for (i32 k = 0; k < path_depth; ++k) patch.relax(stage, k);
  }
  Place::each(rows, columns, x.stride, [&](i32 i, i32 j, bool there, i64 at) {
    const i64 row = i0 + Place::row() + i - task.kept_row, column = j0 + Place::column() + j - task.kept_column;
    const bool kept = (row >= 0 && row < task.kept_rows) || (column >= 0 && column < task.kept_columns);
    if (!there || kept) return;
    x.distances[at] = static_cast<T>(patch.distances[i][j]);
    x.trails[at] = patch.trails[i][j];
  });
}

/// The pivots' own square in shared memory.
template <class T, class W>
struct PairSquare {
  T distances[base_pivots][base_pivots];
  W trails[base_pivots][base_pivots];
};

/// Closes the pivots' own square, by one thread block. A pivot's row and column stay as they are in its own turn, as
/// no pivot is negative, and a path through its own start or end has more edges.
template <class T, class W>
__global__ void __launch_bounds__(closure_threads)
    close_pairs_kernel(TileState* state, PairView<T, W> square, i64 pivots, i64 first_pivot) {
  if (state->begun == 0) return;
  auto& shared = *reinterpret_cast<PairSquare<T, W>*>(device::launch_shared_memory());
  const auto count = static_cast<i32>(pivots);
  const auto each = [&](const auto& act) {
    for (i32 at = static_cast<i32>(threadIdx.x); at < base_pivots * base_pivots; at += closure_threads) {
      const i32 i = at / base_pivots, j = at % base_pivots;
      if (i < count && j < count) act(i, j);
    }
  };
  each([&](i32 i, i32 j) {
    shared.distances[i][j] = *square.at(i, j).distances;
    shared.trails[i][j] = *square.at(i, j).trails;
  });
  i32 negative = -1;
  for (i32 k = 0; k < count; ++k) {
    __syncthreads();
    if (negative < 0 && shared.distances[k][k] < T(0)) negative = k;
    each([&](i32 i, i32 j) {
      if (i == k || j == k) return;
      const W rest = shared.trails[k][j] & static_cast<W>(~Trail<W>::next_mask);
      take_smaller(shared.distances[i][j], shared.trails[i][j],
                   MinPlus::times<T>(shared.distances[i][k], shared.distances[k][j]),
                   static_cast<W>(shared.trails[i][k] + rest));
    });
  }
  each([&](i32 i, i32 j) {
    *square.at(i, j).distances = shared.distances[i][j];
    *square.at(i, j).trails = shared.trails[i][j];
  });
  if (threadIdx.x == 0 && negative >= 0 && state->negative_pivot < 0) state->negative_pivot = first_pivot + negative;
}

/// A tile that begins or ends.
template <class T, class W>
struct PairTile {
  TileValues<T> values;
  W* trails;
  i64 first_row, first_column;
  i32 loops;
  i32* next;
  i64 next_stride;
};

/// Beside begin_tile_kernel(): the trails of edges. Thread blocks take rows in turn.
template <class T, class W>
__global__ void begin_trails_kernel(const TileState* state, PairTile<T, W> tile) {
  if (state->begun == 0) return;
  for (i32 i = static_cast<i32>(blockIdx.x); i < tile.values.rows; i += static_cast<i32>(gridDim.x)) {
    for (i32 j = static_cast<i32>(threadIdx.x); j < tile.values.columns; j += static_cast<i32>(blockDim.x)) {
      const bool stays = tile.loops == 0 && tile.first_row + i == tile.first_column + j;
      tile.trails[i * tile.values.x_stride + j] =
          stays ? Trail<W>::none : static_cast<W>((W(1) << Trail<W>::half) | static_cast<W>(tile.first_column + j));
    }
  }
}

/// After end_tile_kernel(): the next nodes.
template <class T, class W>
__global__ void end_trails_kernel(const TileState* state, PairTile<T, W> tile) {
  if (state->begun == 0) return;
  for (i32 i = static_cast<i32>(blockIdx.x); i < tile.values.rows; i += static_cast<i32>(gridDim.x)) {
    for (i32 j = static_cast<i32>(threadIdx.x); j < tile.values.columns; j += static_cast<i32>(blockDim.x)) {
      const i64 at = i * tile.values.x_stride + j;
      const W after = tile.trails[at] & Trail<W>::next_mask;
      i32 next = after == Trail<W>::none ? static_cast<i32>(tile.first_row + i) : static_cast<i32>(after);
      if (tile.values.x[at] >= infinity<T>()) next = -1;
      tile.next[i * tile.next_stride + j] = next;
    }
  }
}

}  // namespace terrace::recursive
