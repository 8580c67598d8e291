// Tiles of bits on CUDA: x <- x or (u and v), 32 cells a logic operation. Factors are copied first, so that x may be
// u or v.
#pragma once

#include "kernels/recursive/cuda/tile_state.cuh"
#include "kernels/recursive/measured.hpp"

namespace terrace::recursive {

inline constexpr i32 bit_threads = measured::CudaBits::threads;
inline constexpr i32 bit_rows = measured::CudaBits::rows;
inline constexpr i32 bit_columns = measured::CudaBits::columns;
inline constexpr i32 bit_depth = measured::CudaBits::depth;
inline constexpr i32 bit_pivots = measured::CudaBits::pivots;

/// Words of a tile, or of a copy of one.
struct BitView {
  u32* words;
  i64 stride;
};

/// Copies rows x words to a copy that is filled up with zeros.
struct CopyBitsTask {
  const TileState* state;
  BitView from, to;
  i64 rows, words, copied_rows, copied_words;
};

template <class Unused>
__global__ void __launch_bounds__(bit_threads) copy_bits_kernel(CopyBitsTask task) {
  if (task.state->begun == 0) return;
  const i64 count = task.copied_rows * task.copied_words;
  for (i64 at = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; at < count;
       at += static_cast<i64>(gridDim.x) * blockDim.x) {
    const i64 i = at / task.copied_words, j = at % task.copied_words;
    const bool there = i < task.rows && j < task.words;
    task.to.words[i * task.to.stride + j] = there ? task.from.words[i * task.from.stride + j] : 0;
  }
}

/// Copies of u (of whole thread blocks' rows) and v (of whole thread blocks' words), whose depth is a multiple of
/// bit_depth.
struct OrBitsTask {
  const TileState* state;
  BitView x;
  i64 rows, words;
  BitView u, v;
  i64 depth;
};

/// The values that a thread fetches for the next stage: rows of v, and 16 bits of a row of u.
struct BitFetch {
  u32 v[bit_depth * bit_columns / bit_threads];
  u32 u;

  __device__ __forceinline__ void load(const OrBitsTask& task, i64 k, i64 i0, i64 j0) {
    const auto thread = static_cast<i32>(threadIdx.x);
#pragma unroll
    for (i32 n = 0; n < bit_depth * bit_columns / bit_threads; ++n) {
      const i32 at = n * bit_threads + thread;
      v[n] = task.v.words[(k + at / bit_columns) * task.v.stride + j0 + at % bit_columns];
    }
    u = task.u.words[(i0 + thread % bit_rows) * task.u.stride + k / 32];
  }
};

/// A stage in shared memory. Every bit of u is spread over a word.
struct BitStage {
  alignas(16) u32 masks[bit_depth][bit_rows];
  alignas(16) u32 v[bit_depth][bit_columns];

  __device__ __forceinline__ void store(const BitFetch& fetch) {
    const auto thread = static_cast<i32>(threadIdx.x);
#pragma unroll
    for (i32 n = 0; n < bit_depth * bit_columns / bit_threads; ++n) {
      const i32 at = n * bit_threads + thread;
      v[at / bit_columns][at % bit_columns] = fetch.v[n];
    }
    const i32 first = thread / bit_rows * (bit_depth / 2);
#pragma unroll
    for (i32 n = 0; n < bit_depth / 2; ++n) masks[first + n][thread % bit_rows] = 0u - (fetch.u >> (first + n) & 1u);
  }
};

struct alignas(16) BitQuad {
  u32 words[4];
};

/// A thread block for each part of x, row after row. A thread's rows, and its words, are four that lie side by side
/// and four more half a part further.
template <class Unused>
__global__ void __launch_bounds__(bit_threads) or_bits_kernel(OrBitsTask task) {
  if (task.state->begun == 0) return;
  __shared__ BitStage stage;
  const i64 across = (task.words + bit_columns - 1) / bit_columns;
  const i64 i0 = blockIdx.x / across * bit_rows, j0 = blockIdx.x % across * bit_columns;
  const i32 row = static_cast<i32>(threadIdx.x) / 16 * 4, column = static_cast<i32>(threadIdx.x) % 16 * 4;
  const auto far = [](i32 n, i32 size) { return n / 4 * (size / 2) + n % 4; };
  u32 found[8][8] = {};
  BitFetch fetch;
  fetch.load(task, 0, i0, j0);
  for (i64 k = 0; k < task.depth; k += bit_depth) {
    __syncthreads();  // nobody reads the stage before any more
    stage.store(fetch);
    __syncthreads();
    if (k + bit_depth < task.depth) fetch.load(task, k + bit_depth, i0, j0);
#pragma unroll 4
    for (i32 bit = 0; bit < bit_depth; ++bit) {
      u32 masks[8], v[8];
#pragma unroll
      for (i32 n = 0; n < 8; n += 4) {
        const BitQuad left = *reinterpret_cast<const BitQuad*>(&stage.masks[bit][row + far(n, bit_rows)]);
        const BitQuad right = *reinterpret_cast<const BitQuad*>(&stage.v[bit][column + far(n, bit_columns)]);
#pragma unroll
        for (i32 e = 0; e < 4; ++e) masks[n + e] = left.words[e], v[n + e] = right.words[e];
      }
#pragma unroll
      for (i32 i = 0; i < 8; ++i) {
#pragma unroll
        for (i32 j = 0; j < 8; ++j) found[i][j] |= masks[i] & v[j];
      }
    }
  }
#pragma unroll
  for (i32 i = 0; i < 8; ++i) {
    const i64 to = i0 + row + far(i, bit_rows);
    if (to >= task.rows) continue;
#pragma unroll
    for (i32 j = 0; j < 8; ++j) {
      const i64 word = j0 + column + far(j, bit_columns);
      if (word < task.words) task.x.words[to * task.x.stride + word] |= found[i][j];
    }
  }
}

/// Closes the pivots' own square, by one thread block of bit_pivots threads: each has a row of `words` words.
template <class Unused>
__global__ void __launch_bounds__(bit_pivots)
    close_bits_kernel(const TileState* state, BitView square, i32 pivots, i32 words) {
  if (state->begun == 0) return;
  __shared__ u32 row[2][2];
  const auto i = static_cast<i32>(threadIdx.x);
  u32 mine[2] = {};
  for (i32 w = 0; w < words && i < pivots; ++w) mine[w] = square.words[i * square.stride + w];
  for (i32 k = 0; k < pivots; ++k) {
    if (i == k) row[k % 2][0] = mine[0], row[k % 2][1] = mine[1];
    __syncthreads();  // and who writes the other copy next has passed the barrier after which it was read
    if ((mine[k / 32] >> k % 32 & 1u) != 0) mine[0] |= row[k % 2][0], mine[1] |= row[k % 2][1];
  }
  for (i32 w = 0; w < words && i < pivots; ++w) square.words[i * square.stride + w] = mine[w];
}

/// A tile that begins as its input, or is given out: as bytes of eight cells, or of one. Thread blocks take rows in
/// turn.
struct BitTile {
  BitView x;
  i64 rows, words;
  const u32* input;
  i64 input_stride;
  u8* output;
  i64 output_columns, output_stride;
  i32 packed;
};

template <class Unused>
__global__ void begin_bits_kernel(const TileState* state, BitTile tile) {
  if (state->begun == 0) return;
  for (i64 i = blockIdx.x; i < tile.rows; i += gridDim.x) {
    for (i64 j = threadIdx.x; j < tile.words; j += blockDim.x) {
      tile.x.words[i * tile.x.stride + j] = tile.input[i * tile.input_stride + j];
    }
  }
}

template <class Unused>
__global__ void end_bits_kernel(const TileState* state, BitTile tile) {
  if (state->begun == 0) return;
  for (i64 i = blockIdx.x; i < tile.rows; i += gridDim.x) {
    const u32* row = tile.x.words + i * tile.x.stride;
    for (i64 j = threadIdx.x; j < tile.output_columns; j += blockDim.x) {
      tile.output[i * tile.output_stride + j] =
          static_cast<u8>(tile.packed != 0 ? row[j / 4] >> 8 * (j % 4) & 255u : row[j / 32] >> j % 32 & 1u);
    }
  }
}

}  // namespace terrace::recursive
