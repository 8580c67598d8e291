// The 16-bit values of cells: distances from a base that follows the largest cell (pair_range.hpp has the proof that
// nothing is lost), H without the cost of a gap's first letter.
#pragma once

#include "kernels/values/pair.cuh"
#include "kernels/wavefront/rules/pair_range.hpp"

namespace terrace::wavefront {

/// Constants of a sweep in 16 bits, and values as they are kept above a base.
struct PairValues {
  PairRange range;            // of the largest value entering a piece, from the base
  i32 first, gain;            // cost of a gap's first letter, most that a column adds
  u32 floor;                  // `first` twice
  u32 less_first, less_next;  // for subtract_both(); minus the cost of a further letter, twice
  u32 mismatch;               // the score of different letters, with `first`, twice

  /// @param score of different letters @param rows of a band
  __device__ PairValues(const PairCosts& costs, i64 score, int rows)
      : range(pair_range(costs, rows)),
        first(static_cast<i32>(costs.first)),
        gain(static_cast<i32>(costs.gain)),
        floor(both(first)),
        less_first(0u - floor),
        less_next(both(static_cast<i32>(-costs.next))),
        mismatch(both(static_cast<i32>(score) + first)) {}

  /// The base above which 0 is a true value.
  __device__ __forceinline__ i32 lowest_base() const { return -first; }
  /// In the middle of the range.
  __device__ __forceinline__ i32 middle() const { return static_cast<i32>((range.least + range.most) / 2); }

  __device__ __forceinline__ i32 kept_h(i32 h, const i32& base) const { return maximum(h - base - first, 0); }
  __device__ __forceinline__ static i32 kept_gap(i32 gap, const i32& base) { return maximum(gap - base, 0); }
  __device__ __forceinline__ i32 true_h(i32 half, const i32& base) const { return half + base + first; }
  __device__ __forceinline__ static i32 true_gap(i32 half, const i32& base) { return maximum(half + base, 0); }
};

}  // namespace terrace::wavefront
