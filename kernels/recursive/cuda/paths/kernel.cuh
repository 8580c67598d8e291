// Tiles of distances and trails on CUDA (trail.hpp): their begin and end, copies of factors, so that x may be u or v,
// and closing of the pivots' own square.
#pragma once

#include "kernels/recursive/cuda/floyd_warshall_kernel.cuh"
#include "kernels/recursive/cuda/paths/relax_kernel.cuh"
#include "kernels/recursive/measured.hpp"

namespace terrace::recursive {

/// Infinity in copies of factors: sums with it are never as small as a distance, not even as an infinite one.
template <class T>
__device__ __forceinline__ T nowhere() {
  if constexpr (same_type<T, float>) return __int_as_float(0x7FC00000);
  else if constexpr (same_type<T, double>) return __longlong_as_double(0x7FF8000000000000ll);
  else return infinity<T>();
}

/// A factor and its copy: of `rows` x `columns` pairs, or transposed, padded with pairs that change
/// nothing.
template <class T, class W>
struct CopyTask {
  TileState* state;
  PairView<T, W> from;
  i64 rows, columns;
  PairView<Distance<T>, W> to;
  i64 copied_rows, copied_columns;  // multiples of copy_side
  i32 turned;                       // not 0: to(i, j) is from(j, i)
  W mask;                           // of the trails
};

inline constexpr i32 copy_side = measured::CudaPaths::copy_side;  // of the squares that thread blocks take in turn

template <class T, class W>
__global__ void __launch_bounds__(closure_threads) copy_pairs_kernel(CopyTask<T, W> task) {
  if (task.state->begun == 0) return;
  using D = Distance<T>;
  __shared__ D distances[copy_side][copy_side + 1];
  __shared__ W trails[copy_side][copy_side + 1];
  const i32 lane = static_cast<i32>(threadIdx.x) % copy_side, first = static_cast<i32>(threadIdx.x) / copy_side;
  const i64 across = task.copied_columns / copy_side, squares = task.copied_rows / copy_side * across;
  bool sign = false;
  for (i64 square = blockIdx.x; square < squares; square += gridDim.x) {
    const i64 row0 = square / across * copy_side, column0 = square % across * copy_side;
    const i64 i0 = task.turned != 0 ? column0 : row0, j0 = task.turned != 0 ? row0 : column0;
    __syncthreads();  // nobody reads the square before any more
#pragma unroll
    for (i32 row = first; row < copy_side; row += closure_threads / copy_side) {
      const bool there = i0 + row < task.rows && j0 + lane < task.columns;
      const PairView<T, W> from = task.from.at(i0 + row, j0 + lane);
      const T distance = there ? *from.distances : infinity<T>();
      if constexpr (three_needs_signs<MinPlus, D>) sign |= has_sign(distance);
      distances[row][lane] = distance < infinity<T>() ? distance : nowhere<T>();
      trails[row][lane] = there ? *from.trails & task.mask : Trail<W>::none;
    }
    __syncthreads();
#pragma unroll
    for (i32 row = first; row < copy_side; row += closure_threads / copy_side) {
      const bool turned = task.turned != 0;
      task.to.distances[factor_place(row0 + row, column0 + lane, task.to.stride, turned)] =
          turned ? distances[lane][row] : distances[row][lane];
      *task.to.at(row0 + row, column0 + lane).trails = turned ? trails[lane][row] : trails[row][lane];
    }
  }
  if constexpr (three_needs_signs<MinPlus, D>) {
    if (__any_sync(~0u, sign) && lane == 0) task.state->signs = 1;
  }
}

/// A tile whose pivots' square is closed, and the copies of the pivots' columns, turned over, and rows.
template <class T, class W>
struct PanelTask {
  TileState* state;
  PairView<T, W> x;
  i64 size;
  i64 pivot;  // the first of this step
  PairView<Distance<T>, W> u, v;
  i64 strips;  // of base_pivots columns, or rows, that the copies are long
};

/// The factors of a strip in shared memory, those on the right with trails without nodes: by half of the pivots where
/// all of them would need more than some devices give a thread block.
template <class T, class W>
struct PanelFactors {
  static constexpr i32 pivots = sizeof(Distance<T>) + sizeof(W) > 12 ? base_pivots / 2 : base_pivots;
  Distance<T> left[base_pivots][pivots], right[pivots][base_pivots];
  W left_trails[base_pivots][pivots], right_trails[pivots][base_pivots];
};

/// 4 x 4 pairs of a square of base_pivots x base_pivots.
template <class T, class W>
struct PairPatch {
  using D = Distance<T>;
  using Place = Patch<MinPlus, T>;
  D distances[4][4];
  W trails[4][4];

  __device__ __forceinline__ void load(const PairView<T, W>& from, i32 rows, i32 columns) {
    Place::each(rows, columns, from.stride, [&](i32 i, i32 j, bool there, i64 at) {
      distances[i][j] = there ? from.distances[at] : infinity<T>();
      trails[i][j] = there ? from.trails[at] : Trail<W>::none;
    });
  }
  __device__ __forceinline__ void store(const PairView<T, W>& to, i32 rows, i32 columns) const {
    Place::each(rows, columns, to.stride, [&](i32 i, i32 j, bool there, i64 at) {
      if (!there) return;
      to.distances[at] = static_cast<T>(distances[i][j]);
      to.trails[at] = trails[i][j];
    });
  }
  /// Hands the pairs out in shared memory as the factor on the left, or on the right, by the pivots from `first` on.
  __device__ __forceinline__ void hand_out_left(PanelFactors<T, W>& to, i32 first) const {
    const i32 column = Place::column() - first;
    if (column < 0 || column >= PanelFactors<T, W>::pivots) return;
#pragma unroll
    for (i32 i = 0; i < 4; ++i) {
#pragma unroll
      for (i32 j = 0; j < 4; ++j) {
        to.left[Place::row() + i][column + j] = distances[i][j];
        to.left_trails[Place::row() + i][column + j] = trails[i][j];
      }
    }
  }
  __device__ __forceinline__ void hand_out_right(PanelFactors<T, W>& to, i32 first) const {
    const i32 row = Place::row() - first;
    if (row < 0 || row >= PanelFactors<T, W>::pivots) return;
#pragma unroll
    for (i32 i = 0; i < 4; ++i) {
#pragma unroll
      for (i32 j = 0; j < 4; ++j) {
        to.right[row + i][Place::column() + j] = distances[i][j];
        to.right_trails[row + i][Place::column() + j] = trails[i][j] & static_cast<W>(~Trail<W>::next_mask);
      }
    }
  }
  /// Distances alone tell whether any of a row may become smaller, which is rare: only then are trails looked at.
  __device__ __forceinline__ void relax(const PanelFactors<T, W>& by, i32 k) {
    D v[4];
#pragma unroll
    for (i32 j = 0; j < 4; ++j) v[j] = by.right[k][Place::column() + j];
#pragma unroll
    for (i32 i = 0; i < 4; ++i) {
      const D u = by.left[Place::row() + i][k];
      bool near = false;
#pragma unroll
      for (i32 j = 0; j < 4; ++j) near |= MinPlus::times<D>(u, v[j]) <= distances[i][j];
      if (!near) continue;
      const W u_trail = by.left_trails[Place::row() + i][k];
#pragma unroll
      for (i32 j = 0; j < 4; ++j) {
        take_smaller(distances[i][j], trails[i][j], MinPlus::times<D>(u, v[j]),
                     static_cast<W>(u_trail + by.right_trails[k][Place::column() + j]));
      }
    }
  }
  /// Copies the pairs for relax_pairs_kernel().
  __device__ __forceinline__ void pack(const PanelTask<T, W>& task, i64 strip, bool of_rows) const {
    bool sign = false;
#pragma unroll
    for (i32 i = 0; i < 4; ++i) {
#pragma unroll
      for (i32 j = 0; j < 4; ++j) {
        const i64 row = Place::row() + i, column = Place::column() + j;
        const PairView<D, W>& to = of_rows ? task.v : task.u;
        const i64 pivot = of_rows ? row : column, n = strip + (of_rows ? column : row);
        const D distance = distances[i][j];
        to.distances[factor_place(pivot, n, to.stride, !of_rows)] =
            distance < infinity<T>() ? distance : nowhere<T>();
        *to.at(pivot, n).trails = of_rows ? trails[i][j] & static_cast<W>(~Trail<W>::next_mask) : trails[i][j];
        if constexpr (three_needs_signs<MinPlus, D>) sign |= has_sign(distance);
      }
    }
    if constexpr (three_needs_signs<MinPlus, D>) {
      if (__any_sync(~0u, sign) && threadIdx.x % 32 == 0) task.state->signs = 1;
    }
  }
};

/// A pivot's row, with trails without nodes, and its column.
template <class T, class W>
struct PairCross {
  Distance<T> row[base_pivots], column[base_pivots];
  W row_trails[base_pivots], column_trails[base_pivots];
};

/// Closes the pivots' own square, by one thread block. A pivot's row and column do not change in its own turn, as no
/// pivot is negative, and a path through its own start or end has more edges: so they are handed out for the next
/// turn in parallel with this one.
template <class T, class W>
__global__ void __launch_bounds__(closure_threads)
    close_pairs_kernel(TileState* state, PairView<T, W> square, i64 pivots, i64 first_pivot) {
  if (state->begun == 0) return;
  __shared__ PairCross<T, W> crosses[2];
  using Place = Patch<MinPlus, T>;
  const auto count = static_cast<i32>(pivots);
  PairPatch<T, W> patch;
  patch.load(square, count, count);
  // `within` is the pivot's place in its owners' patches.
  const auto hand_out = [&](i32 pivot, i32 within) {
    PairCross<T, W>& to = crosses[pivot % 2];
    if (Place::row() == pivot - within) {
#pragma unroll
      for (i32 j = 0; j < 4; ++j) {
        to.row[Place::column() + j] = patch.distances[within][j];
        to.row_trails[Place::column() + j] = patch.trails[within][j] & static_cast<W>(~Trail<W>::next_mask);
      }
    }
    if (Place::column() == pivot - within) {
#pragma unroll
      for (i32 i = 0; i < 4; ++i) {
        to.column[Place::row() + i] = patch.distances[i][within];
        to.column_trails[Place::row() + i] = patch.trails[i][within];
      }
    }
  };
  hand_out(0, 0);
  i32 negative = -1;
  for (i32 four = 0; four < count; four += 4) {
#pragma unroll
    for (i32 within = 0; within < 4; ++within) {
      const i32 pivot = four + within;
      __syncthreads();
      if (pivot >= count) break;
      const PairCross<T, W>& cross = crosses[pivot % 2];
      if (negative < 0 && cross.row[pivot] < Distance<T>(0)) negative = pivot;
#pragma unroll
      for (i32 i = 0; i < 4; ++i) {
#pragma unroll
        for (i32 j = 0; j < 4; ++j) {
          const i32 row = Place::row() + i, column = Place::column() + j;
          take_smaller(patch.distances[i][j], patch.trails[i][j],
                       MinPlus::times<Distance<T>>(cross.column[row], cross.row[column]),
                       static_cast<W>(cross.column_trails[row] + cross.row_trails[column]));
        }
      }
      if (pivot + 1 < count) hand_out(pivot + 1, (within + 1) % 4);
    }
  }
  patch.store(square, count, count);
  if (threadIdx.x == 0 && negative >= 0 && state->negative_pivot < 0) state->negative_pivot = first_pivot + negative;
}

/// Relaxes one strip of base_pivots columns of the pivots' rows, or rows of their columns, by the pivots' closed
/// square, and copies it as a factor. Thread blocks [0, strips) have rows, the others columns; the square itself is
/// only copied.
template <class T, class W>
__global__ void __launch_bounds__(closure_threads) close_panels_of_pairs_kernel(PanelTask<T, W> task) {
  if (task.state->begun == 0) return;
  auto& shared = *reinterpret_cast<PanelFactors<T, W>*>(device::launch_shared_memory());
  const bool of_rows = blockIdx.x < task.strips;
  const i64 strip = (blockIdx.x - (of_rows ? 0 : task.strips)) * base_pivots;
  const auto there = [&](i64 from) {
    const i64 rest = task.size - from;
    return static_cast<i32>(rest < 0 ? 0 : rest < base_pivots ? rest : base_pivots);
  };
  const i32 pivots = there(task.pivot), wide = there(strip);
  const i32 rows = of_rows ? pivots : wide, columns = of_rows ? wide : pivots;
  const PairView<T, W> part = of_rows ? task.x.at(task.pivot, strip) : task.x.at(strip, task.pivot);
  PairPatch<T, W> patch;
  patch.load(part, rows, columns);
  if (strip != task.pivot) {
    PairPatch<T, W> square;
    square.load(task.x.at(task.pivot, task.pivot), pivots, pivots);
    const PairPatch<T, W> left = of_rows ? square : patch, right = of_rows ? patch : square;
    for (i32 first = 0; first < base_pivots; first += PanelFactors<T, W>::pivots) {
      if (first > 0) __syncthreads();  // nobody reads those before any more
      left.hand_out_left(shared, first);
      right.hand_out_right(shared, first);
      __syncthreads();
#pragma unroll 4
      for (i32 k = 0; k < PanelFactors<T, W>::pivots; ++k) patch.relax(shared, k);
    }
    patch.store(part, rows, columns);
  }
  patch.pack(task, strip, of_rows);
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
