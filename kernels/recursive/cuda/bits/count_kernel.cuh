// x <- x + the numbers of bits that rows of u and columns of v have in common.
#pragma once

#include "kernels/recursive/cuda/bits/common_bits.cuh"

namespace terrace::recursive {

/// Counts to add the numbers to.
struct CountsView {
  i32* counts;
  i64 stride;
};

struct CountBitsTask {
  const TileState* state;
  BitFactors factors;
  CountsView x, before;  // x becomes `before` plus the numbers; without counts: the numbers
  i64 rows, columns;
  i32 paired;  // not 0: counts of even columns lie at multiples of 8 bytes
};

class CountsStore {
  struct alignas(8) Pair {
    i32 counts[2];
  };

 public:
  __device__ __forceinline__ explicit CountsStore(const CountBitsTask& task) : task_(task) {}

  __device__ __forceinline__ void operator()(i32, i64 row, i64 column, const RowCounts& found) const {
    if (row >= task_.rows) return;
    column += threadIdx.x % 4 * 2;
    i32* x = task_.x.counts + row * task_.x.stride + column;
    const i32* before =
        task_.before.counts == nullptr ? nullptr : task_.before.counts + row * task_.before.stride + column;
#pragma unroll
    for (i32 j = 0; j < bit_warp_wide; ++j, column += 8) {
      const i64 there = task_.columns - column;
      if (there >= 2 && task_.paired != 0) {
        Pair pair = before == nullptr ? Pair{} : *reinterpret_cast<const Pair*>(before + 8 * j);
        pair.counts[0] += found[j][0];
        pair.counts[1] += found[j][1];
        *reinterpret_cast<Pair*>(x + 8 * j) = pair;
      } else {
#pragma unroll
        for (i32 n = 0; n < 2; ++n) {
          if (n < there) x[8 * j + n] = (before == nullptr ? 0 : before[8 * j + n]) + found[j][n];
        }
      }
    }
  }

 private:
  const CountBitsTask& task_;
};

/// Thread blocks take parts of x in turn.
template <class Shape>
__global__ void __launch_bounds__(bit_threads, measured::CudaBits::blocks)
    count_bits_kernel(const __grid_constant__ CountBitsTask task) {
  if (task.state->begun == 0) return;
  CommonBits<Shape>(task.factors).run(CountsStore(task));
}

}  // namespace terrace::recursive
