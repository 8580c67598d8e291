// Scores by a substitution matrix on the device: scores of a lane's rows with every letter, in shared memory.
#pragma once

#include "kernels/values/word.cuh"
#include "kernels/wavefront/cuda/bands/bands.cuh"

namespace terrace::wavefront {

/// Unscaled scores of the R rows of each lane, four rows a word; a lane's words lie in a bank of its own.
template <int R>
struct LaneProfiles {
  u32 words[matrix_size][R / 4][32];
};
template <>
struct LaneProfiles<0> {};

/// Fills in a lane's own part. @param letters of its rows, codes of the matrix
template <class V, int R>
__device__ void make_profile(const Matrix& matrix, const V (&letters)[R], LaneProfiles<R>& profiles, int lane) {
#pragma unroll 1
  for (int letter = 0; letter < matrix.count; ++letter) {
#pragma unroll
    for (int q = 0; q < R / 4; ++q) {
      u32 word = 0;
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const i64 row = static_cast<i64>(letters[4 * q + r]);
        word |= static_cast<u32>(static_cast<device::u8>(matrix.scores[row][letter])) << (8 * r);
      }
      profiles.words[letter][q][lane] = word;
    }
  }
}

/// `value` plus the scaled score in byte `row` % 4 of a profile's word: a dot product in which one term is not 0.
__device__ __forceinline__ Word add_score(Word value, Word scale, u32 word_of_rows, int row) {
  const i32 scores = static_cast<i32>(word_of_rows), high = scale.value << 16;
  if (row % 4 == 0) return Word::of(__dp2a_lo(scale.value, scores, value.value));
  if (row % 4 == 1) return Word::of(__dp2a_lo(high, scores, value.value));
  if (row % 4 == 2) return Word::of(__dp2a_hi(scale.value, scores, value.value));
  return Word::of(__dp2a_hi(high, scores, value.value));
}
__device__ __forceinline__ i64 add_score(i64 value, i64 scale, u32 word_of_rows, int row) {
  return value + scale * static_cast<device::i8>(word_of_rows >> (8 * (row % 4)));
}

}  // namespace terrace::wavefront
