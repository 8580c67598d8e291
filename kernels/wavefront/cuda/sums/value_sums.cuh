// Sums of values within a batch of a strip, a word or two each. The batch that waits for the strips before it lies in
// shared memory.
#pragma once

#include "kernels/wavefront/cuda/sums/strip_reader.cuh"

namespace terrace::wavefront {

template <class W>
__device__ __forceinline__ void store_sums(W* to, const W (&from)[4]) {
  *reinterpret_cast<Sums<W, 4>*>(to) = {{from[0], from[1], from[2], from[3]}};
}

/// Reads the sums of a row in shared memory that lane `lane` writes into a table of type T.
template <class T, class W>
__device__ __forceinline__ void read_sums(const W* row, int lane, W (&to)[4]) {
  constexpr int packet = packet_columns<T>;
#pragma unroll
  for (int c = 0; c < 4; c += packet) {
    const auto part = *reinterpret_cast<const Sums<W, packet>*>(row + column_to_write<T>(lane, c));
#pragma unroll
    for (int i = 0; i < packet; ++i) to[c + i] = part.at[i];
  }
}

/// Values of R rows of a warp, four columns a lane, and their sums over those rows and the strip's columns.
template <class W, int R>
class ValueSums {
 public:
  using Sum = W;
  /// Shared memory of the warp.
  struct Memory {
    W rows[R][strip_columns];
  };

  template <class Reader>
  __device__ __forceinline__ explicit ValueSums(const Reader& reader) {
    reader.values(sums_);
  }

  /// Turns values into sums.
  __device__ __forceinline__ void add_up(int lane) {
    W before[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
#pragma unroll
      for (int c = 1; c < 4; ++c) sums_[r][c] = add_wrapping(sums_[r][c], sums_[r][c - 1]);
      if (r > 0) {
#pragma unroll
        for (int c = 0; c < 4; ++c) sums_[r][c] = add_wrapping(sums_[r][c], sums_[r - 1][c]);
      }
      before[r] = sums_[r][3];
    }
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
#pragma unroll
      for (int r = 0; r < R; ++r) {
        const W other = __shfl_up_sync(~0u, before[r], distance);
        if (lane >= distance) before[r] = add_wrapping(before[r], other);
      }
    }
#pragma unroll
    for (int r = 0; r < R; ++r) {
      W left = __shfl_up_sync(~0u, before[r], 1);
      if (lane == 0) left = 0;
#pragma unroll
      for (int c = 0; c < 4; ++c) sums_[r][c] = add_wrapping(sums_[r][c], left);
    }
  }

  /// The sums of the last row, of the columns from 4 * lane on.
  __device__ __forceinline__ void last_row(W (&to)[4]) const {
#pragma unroll
    for (int c = 0; c < 4; ++c) to[c] = sums_[R - 1][c];
  }
  /// In lane r, the sum of row r in the strip's last column. All lanes call it.
  __device__ __forceinline__ W last_column(int lane) const {
    W mine = 0;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const W value = __shfl_sync(~0u, sums_[r][3], 31);
      if (lane == r) mine = value;
    }
    return mine;
  }

  /// The sums of the batch before.
  class Held {
   public:
    __device__ __forceinline__ Held(Memory& memory, int lane) : memory_(memory), lane_(lane) {}

    __device__ __forceinline__ void hold(const ValueSums& sums) {
      __syncwarp();
#pragma unroll
      for (int r = 0; r < R; ++r) store_sums(memory_.rows[r] + lane_ * 4, sums.sums_[r]);
      __syncwarp();
    }

    /// H of row r in the columns that the lane writes into a table of type T. @param edge H left of the strip
    /// @param above what is to be added in each of the columns
    template <class T, class V>
    __device__ __forceinline__ void finish(int r, V edge, const V (&above)[4], V (&sums)[4]) const {
      W held[4];
      read_sums<T>(memory_.rows[r], lane_, held);
#pragma unroll
      for (int c = 0; c < 4; ++c) sums[c] = add_wrapping(add_wrapping(static_cast<V>(held[c]), above[c]), edge);
    }

   private:
    Memory& memory_;
    const int lane_;
  };

 private:
  W sums_[R][4];
};

}  // namespace terrace::wavefront
