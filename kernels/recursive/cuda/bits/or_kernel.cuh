// x <- x or (u and v) of tables of bits: a number of common bits that is not 0 is a bit of the product.
#pragma once

#include "kernels/recursive/cuda/bits/common_bits.cuh"

namespace terrace::recursive {

struct OrBitsTask {
  const TileState* state;
  BitFactors factors;
  BitView x;
  i64 rows, words;
};

class OrStore {
  static constexpr i32 words_of_warp = bit_warp_side / 32;
  static_assert(words_of_warp == 2);

 public:
  __device__ __forceinline__ explicit OrStore(const OrBitsTask& task) : task_(task) {}

  /// Adds what was found to x: of each four lanes with the same rows, each has some of them.
  __device__ __forceinline__ void operator()(i32 turn, i64 row, i64 column, const RowCounts& counts) const {
    u32 found[words_of_warp];
#pragma unroll
    for (i32 n = 0; n < words_of_warp; ++n) found[n] = word_of(counts, n);
    if (static_cast<i32>(threadIdx.x) % 4 != turn / 2 % 4 || row >= task_.rows) return;
    const i64 word = column / 32;
    u32* x = task_.x.words + row * task_.x.stride + word;
#pragma unroll
    for (i32 n = 0; n < words_of_warp; ++n) {
      if (word + n >= task_.words) return;
      const u32 before = x[n];
      if ((found[n] & ~before) != 0) x[n] = before | found[n];
    }
  }

 private:
  /// The bits of 32 columns of a row: of columns 32 * word and on, for all four lanes that have counts of them.
  __device__ __forceinline__ static u32 word_of(const RowCounts& counts, i32 word) {
    u32 bits = 0;
#pragma unroll
    for (i32 j = 0; j < 4; ++j) {
      const i32(&pair)[2] = counts[4 * word + j];
      bits |= (pair[0] != 0 ? 1u : 0u) << 8 * j | (pair[1] != 0 ? 2u : 0u) << 8 * j;
    }
    bits <<= 2 * (threadIdx.x % 4);
    bits |= __shfl_xor_sync(~0u, bits, 1);
    return bits | __shfl_xor_sync(~0u, bits, 2);
  }

  const OrBitsTask& task_;
};

/// Thread blocks take parts of x in turn.
template <class Shape>
__global__ void __launch_bounds__(bit_threads, measured::CudaBits::blocks)
    or_bits_kernel(const __grid_constant__ OrBitsTask task) {
  if (task.state->begun == 0) return;
  CommonBits<Shape>(task.factors).run(OrStore(task));
}

}  // namespace terrace::recursive
