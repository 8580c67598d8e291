// Copies of the factors of products of bits: x may be a factor, and a product reads rows of both in whole parts.
#pragma once

#include "kernels/recursive/cuda/tile_state.cuh"
#include "kernels/recursive/measured.hpp"

namespace terrace::recursive {

inline constexpr i32 copy_threads = 256;

/// Words of a tile, or of a copy of one.
struct BitView {
  u32* words;
  i64 stride;
};

/// Copies rows x words to `to`, of copied_rows x copied_words, where zeros stand beyond them. Turned, row j of `to`
/// has column j, and copied_words words of 32 rows each.
struct CopyBitsTask {
  const TileState* state;
  BitView from, to;
  i64 rows, words, copied_rows, copied_words;
};

template <class Unused>
__global__ void __launch_bounds__(copy_threads) copy_bits_kernel(CopyBitsTask task) {
  if (task.state->begun == 0) return;
  const i64 count = task.copied_rows * task.copied_words;
  for (i64 at = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; at < count;
       at += static_cast<i64>(gridDim.x) * blockDim.x) {
    const i64 i = at / task.copied_words, j = at % task.copied_words;
    const bool there = i < task.rows && j < task.words;
    task.to.words[i * task.to.stride + j] = there ? task.from.words[i * task.from.stride + j] : 0;
  }
}

/// Words of a row, and of 32 rows each, that a thread block turns at a time: so many words of 32 bytes are read, and
/// written.
inline constexpr i32 turned_words = 8;
static_assert(copy_threads == 32 * turned_words);

/// Thread blocks take squares of turned_words words in turn.
template <class Unused>
__global__ void __launch_bounds__(copy_threads) turn_bits_kernel(CopyBitsTask task) {
  if (task.state->begun == 0) return;
  __shared__ u32 square[copy_threads][turned_words + 1], turned[copy_threads][turned_words + 1];
  const auto thread = static_cast<i32>(threadIdx.x);
  const i32 lane = thread % 32, warp = thread / 32;
  const i64 down = task.copied_words / turned_words, across = task.copied_rows / copy_threads;
  for (i64 at = blockIdx.x; at < down * across; at += gridDim.x) {
    const i64 row = at / across * copy_threads, word = at % across * turned_words;
    for (i32 n = thread; n < copy_threads * turned_words; n += copy_threads) {
      const i64 i = row + n / turned_words, j = word + n % turned_words;
      const bool there = i < task.rows && j < task.words;
      square[n / turned_words][n % turned_words] = there ? task.from.words[i * task.from.stride + j] : 0;
    }
    __syncthreads();
    for (i32 w = 0; w < turned_words; ++w) {
      const u32 bits = square[32 * warp + lane][w];
      u32 column = 0;  // of the word's column `lane`, in the warp's rows
      for (i32 bit = 0; bit < 32; ++bit) {
        const u32 found = __ballot_sync(~0u, bits >> bit & 1u);
        if (lane == bit) column = found;
      }
      turned[32 * w + lane][warp] = column;
    }
    __syncthreads();
    for (i32 n = thread; n < copy_threads * turned_words; n += copy_threads) {
      const i64 i = 32 * word + n / turned_words, j = row / 32 + n % turned_words;
      task.to.words[i * task.to.stride + j] = turned[n / turned_words][n % turned_words];
    }
    __syncthreads();  // before the next square takes their place
  }
}

}  // namespace terrace::recursive
