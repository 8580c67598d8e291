// Sums of marks within a batch of a strip, packed: the four columns of a lane are the bytes of a word, and what lies
// left of a lane in two rows the halves of one. Most additions then add four or two sums at once, and the batch that
// waits for the strips before it stays in registers.
#pragma once

#include "kernels/wavefront/cuda/sums/strip_reader.cuh"

namespace terrace::wavefront {

/// Marks of R rows of a warp, and their sums over those rows and the strip's columns. The interface is that of
/// ValueSums (value_sums.cuh).
template <int R>
class MarkSums {
  static constexpr int pairs = R / 2;
  static_assert(R % 2 == 0 && 4 * R < 128 && strip_columns * R < 1 << 16);

 public:
  using Sum = i32;
  struct Memory {};

  template <class Reader>
  __device__ __forceinline__ explicit MarkSums(const Reader& reader) {
    reader.marks(bytes_);
  }

  __device__ __forceinline__ void add_up(int lane) {
#pragma unroll
    for (int r = 0; r < R; ++r) bytes_[r] = bytes_[r] * 0x01010101u + (r > 0 ? bytes_[r - 1] : 0);
    u32 own[pairs];
#pragma unroll
    for (int p = 0; p < pairs; ++p) own[p] = left_[p] = device::pick_bytes(bytes_[2 * p], bytes_[2 * p + 1], 0xF7B3);
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
#pragma unroll
      for (int p = 0; p < pairs; ++p) {
        const u32 other = __shfl_up_sync(~0u, left_[p], distance);
        if (lane >= distance) left_[p] += other;
      }
    }
    u32 last = 0;
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      const u32 both = __shfl_sync(~0u, left_[p], 31);
      if (lane / 2 == p) last = both;
      left_[p] -= own[p];
    }
    last_ = static_cast<Sum>(lane % 2 == 0 ? last & 0xFFFFu : last >> 16);
  }

  __device__ __forceinline__ void last_row(Sum (&to)[4]) const {
#pragma unroll
    for (int c = 0; c < 4; ++c)
      to[c] = static_cast<Sum>(left_of(left_[pairs - 1], R - 1) + byte_of(bytes_[R - 1], c));
  }
  __device__ __forceinline__ Sum last_column(int) const { return last_; }

  class Held {
   public:
    __device__ __forceinline__ Held(Memory&, int lane) : lane_(lane) {}

    __device__ __forceinline__ void hold(const MarkSums& sums) {
#pragma unroll
      for (int r = 0; r < R; ++r) bytes_[r] = sums.bytes_[r];
#pragma unroll
      for (int p = 0; p < pairs; ++p) left_[p] = sums.left_[p];
    }

    template <class T, class V>
    __device__ __forceinline__ void finish(int r, V edge, const V (&above)[4], V (&sums)[4]) const {
      constexpr int packet = packet_columns<T>;
#pragma unroll
      for (int first = 0; first < 4; first += packet) {
        u32 bytes = bytes_[r], left = left_[r / 2];
        if constexpr (packet < 4) {
          static_assert(packet == 2);
          // The lane that holds the columns which this one writes.
          const int holder = first / packet * 16 + lane_ / 2;
          bytes = __shfl_sync(~0u, bytes, holder) >> 16 * (lane_ % 2);
          left = __shfl_sync(~0u, left, holder);
        }
        const V before = add_wrapping(edge, static_cast<V>(left_of(left, r)));
#pragma unroll
        for (int c = 0; c < packet; ++c) {
          const V here = add_wrapping(static_cast<V>(byte_of(bytes, c)), above[first + c]);
          sums[first + c] = add_wrapping(here, before);
        }
      }
    }

   private:
    const int lane_;
    u32 bytes_[R]{}, left_[pairs]{};
  };

 private:
  __device__ __forceinline__ static u32 byte_of(u32 bytes, int c) { return bytes >> 8 * c & 0xFFu; }
  /// The half of a pair of rows that is row r's.
  __device__ __forceinline__ static u32 left_of(u32 pair, int r) { return r % 2 == 0 ? pair & 0xFFFFu : pair >> 16; }

  u32 bytes_[R];     // marks, then sums over the rows down to each and the lane's columns up to each
  u32 left_[pairs];  // the same over the columns of the lanes before this one, two rows to a word
  Sum last_ = 0;     // of the strip's last column, in lane r of row r
};

}  // namespace terrace::wavefront
