// Numbers of bits that rows and columns of tables of bits have in common, by the tensor cores.
//
// A thread block computes parts of x in turn. Rows of u and columns of v come into a ring of stages in shared memory,
// those of the next part while the part before is still computed. A warp has a quarter of the part: its counts stay
// in registers.
#pragma once

#include "kernels/device/bit_matrices.cuh"
#include "kernels/device/instructions.cuh"
#include "kernels/recursive/cuda/bits/copies.cuh"
#include "kernels/recursive/cuda/part_place.cuh"

namespace terrace::recursive {

inline constexpr i32 bit_threads = measured::CudaBits::threads;
inline constexpr i32 bit_side = measured::CudaBits::side;

/// Rows and columns of a part of which a warp has counts, and the products of the tensor cores, of 16 x 8 counts,
/// that these are.
inline constexpr i32 bit_warp_side = bit_side / 2, bit_warp_high = bit_warp_side / 16,
                     bit_warp_wide = bit_warp_side / 8;

/// The shape of the ring of stages: bits of a row in each, and their number.
struct LargeRing {
  static constexpr i32 depth = measured::CudaBits::depth, stages = measured::CudaBits::stages;
};
struct SmallRing {
  static constexpr i32 depth = measured::CudaBits::small_depth, stages = measured::CudaBits::small_stages;
};

/// A copy of u (rows of depth bits), and one of v turned (columns of depth bits). Both have whole parts of rows, and
/// whole stages of any ring, at least one.
struct BitFactors {
  BitView u, v;
  i32 row_parts, column_parts, depth;
};

/// Shared memory: of each stage the part's rows of u, then its columns of v. Rows have 16 bytes more than their bits,
/// so that eight of them lie in different banks.
template <class Shape>
struct BitRing {
  static constexpr i32 row_bytes = Shape::depth / 8 + 16, factor_bytes = bit_side * row_bytes,
                       stage_bytes = 2 * factor_bytes, bytes = Shape::stages * stage_bytes;
};

/// The counts of a row that a lane has: columns 8 * j + 2 * (lane % 4) and the next one of the warp's, for each j.
using RowCounts = i32[bit_warp_wide][2];

template <class Shape>
class CommonBits {
  using Ring = BitRing<Shape>;
  static constexpr i32 stages = Shape::stages;
  static constexpr i32 piece_bytes = 16, pieces = Shape::depth / 8 / piece_bytes;  // of a row
  static constexpr i32 step_bits = 256;                                            // of a product of the tensor cores
  static_assert(bit_threads == 128, "four warps");
  static_assert(bit_side * pieces % bit_threads == 0, "all threads copy alike");

 public:
  __device__ __forceinline__ explicit CommonBits(const BitFactors& factors)
      : factors_(factors),
        shared_(device::launch_shared_memory()),
        lane_(static_cast<i32>(threadIdx.x) % 32),
        row_(static_cast<i32>(threadIdx.x) / 64 * bit_warp_side),
        column_(static_cast<i32>(threadIdx.x) / 32 % 2 * bit_warp_side),
        parts_(factors.row_parts * factors.column_parts),
        stages_of_part_(factors.depth / Shape::depth) {
    const u32 at = device::shared_address(shared_);
    left_ = at + static_cast<u32>((row_ + lane_ % 16) * Ring::row_bytes + lane_ / 16 * piece_bytes);
    right_ = at + static_cast<u32>(Ring::factor_bytes + (column_ + lane_ / 16 * 8 + lane_ % 8) * Ring::row_bytes +
                                   lane_ / 8 % 2 * piece_bytes);
  }

  /// Calls store(turn, row, column, counts) for each row of x that the lane has counts of, in turns 0, 1, ...: a
  /// warp's lanes together, for their rows; the warp's columns begin at `column`. Rows and columns may lie beyond
  /// those of x.
  template <class Store>
  __device__ __forceinline__ void run(const Store& store) {
    part_to_fetch_ = static_cast<i32>(blockIdx.x);
#pragma unroll
    for (i32 n = 0; n + 1 < stages; ++n) fetch();
    i32 slot = 0;
    for (i32 part = static_cast<i32>(blockIdx.x); part < parts_; part += static_cast<i32>(gridDim.x)) {
      clear();
      for (i32 stage = 0; stage < stages_of_part_; ++stage) {
        device::wait_for_copies<stages - 2>();
        __syncthreads();  // the stage is there, and nobody reads the one before any more
        fetch();
        add_stage(static_cast<u32>(slot * Ring::stage_bytes));
        slot = slot + 1 < stages ? slot + 1 : 0;
      }
      store_part(part_place(part, factors_.row_parts, factors_.column_parts, measured::CudaBits::rows_in_turn),
                 store);
    }
  }

 private:
  /// Begins to fetch the next stage, if there is one. There is a group of copies beyond the last one, too.
  __device__ __forceinline__ void fetch() {
    if (part_to_fetch_ < parts_) {
      const PartPlace place =
          part_place(part_to_fetch_, factors_.row_parts, factors_.column_parts, measured::CudaBits::rows_in_turn);
      unsigned char* to = shared_ + slot_to_fetch_ * Ring::stage_bytes;
      copy(factors_.u, place.row, to);
      copy(factors_.v, place.column, to + Ring::factor_bytes);
      slot_to_fetch_ = slot_to_fetch_ + 1 < stages ? slot_to_fetch_ + 1 : 0;
      if (++stage_to_fetch_ == stages_of_part_) {
        stage_to_fetch_ = 0;
        part_to_fetch_ += static_cast<i32>(gridDim.x);
      }
    }
    device::commit_copies();
  }
  __device__ __forceinline__ void copy(const BitView& factor, i32 part, unsigned char* to) const {
    const auto thread = static_cast<i32>(threadIdx.x);
    const i32 row = thread / pieces, piece = thread % pieces;
    const u32* from = factor.words + (static_cast<i64>(part) * bit_side + row) * factor.stride +
                      stage_to_fetch_ * (Shape::depth / 32) + piece * (piece_bytes / 4);
    to += row * Ring::row_bytes + piece * piece_bytes;
    constexpr i32 rows_at_once = bit_threads / pieces;
#pragma unroll
    for (i32 n = 0; n < bit_side; n += rows_at_once) {
      device::begin_copy(to + n * Ring::row_bytes, from);
      from += rows_at_once * factor.stride;
    }
  }

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (i32 i = 0; i < bit_warp_high; ++i) {
#pragma unroll
      for (i32 j = 0; j < bit_warp_wide; ++j) {
#pragma unroll
        for (i32 n = 0; n < 4; ++n) counts_[i][j][n] = 0;
      }
    }
  }

  /// Adds the products of a stage. @param at bytes from the ring's begin to the stage
  __device__ __forceinline__ void add_stage(u32 at) {
#pragma unroll
    for (i32 bit = 0; bit < Shape::depth; bit += step_bits) {
      u32 left[bit_warp_high][4], right[bit_warp_wide / 2][4];
#pragma unroll
      for (i32 i = 0; i < bit_warp_high; ++i)
        device::load_matrices(left_ + at + static_cast<u32>(i * 16 * Ring::row_bytes + bit / 8), left[i]);
#pragma unroll
      for (i32 j = 0; j < bit_warp_wide / 2; ++j)
        device::load_matrices(right_ + at + static_cast<u32>(j * 16 * Ring::row_bytes + bit / 8), right[j]);
#pragma unroll
      for (i32 i = 0; i < bit_warp_high; ++i) {
#pragma unroll
        for (i32 j = 0; j < bit_warp_wide; ++j)
          device::add_common_bits(counts_[i][j], left[i], right[j / 2][j % 2 * 2], right[j / 2][j % 2 * 2 + 1]);
      }
    }
  }

  template <class Store>
  __device__ __forceinline__ void store_part(const PartPlace& place, const Store& store) const {
#pragma unroll
    for (i32 i = 0; i < bit_warp_high; ++i) {
#pragma unroll
      for (i32 half = 0; half < 2; ++half) {
        RowCounts counts;
#pragma unroll
        for (i32 j = 0; j < bit_warp_wide; ++j) {
          counts[j][0] = counts_[i][j][2 * half];
          counts[j][1] = counts_[i][j][2 * half + 1];
        }
        store(2 * i + half, static_cast<i64>(place.row) * bit_side + row_ + 16 * i + 8 * half + lane_ / 4,
              static_cast<i64>(place.column) * bit_side + column_, counts);
      }
    }
  }

  const BitFactors& factors_;
  unsigned char* shared_;
  i32 lane_, row_, column_;  // the warp's first row and column, in the part
  i32 parts_, stages_of_part_;
  u32 left_, right_;  // where the lane reads the first matrices of the first stage
  i32 part_to_fetch_ = 0, stage_to_fetch_ = 0, slot_to_fetch_ = 0;
  i32 counts_[bit_warp_high][bit_warp_wide][4];
};

}  // namespace terrace::recursive
