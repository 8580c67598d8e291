// Scores by a substitution matrix for packs. Every lane is at a column of its own, so that the scores of its rows
// with that column's letter are loaded together from a profile, and the scores of all lanes transposed. Included by
// kernel.hpp alone.
#pragma once

#include "kernels/values/cpu_pack.hpp"

namespace terrace::wavefront::TERRACE_ISA {

using namespace values::TERRACE_ISA;

using device::i8;

/// The scores of a column of every lane: [row of the lane][lane].
template <class T>
struct ColumnScores {
  static constexpr int lanes = Pack<T>::lanes;
  alignas(64) i8 values[profile_rows][lanes];

  TERRACE_HOST_DEVICE Pack<T> row(i64 row) const {
    typedef i8 Bytes __attribute__((vector_size(lanes)));
    Bytes bytes;
    __builtin_memcpy(&bytes, values[row], sizeof bytes);
    return __builtin_convertvector(bytes, typename Pack<T>::Vector);
  }
};

/// Bytes [lane][16 rows] to [row][lane], by perfect shuffles: each moves the highest bit of an index to its low end.
template <int lanes>
TERRACE_HOST_DEVICE void transpose_bytes(__m128i (&bytes)[lanes]) {
  for (int width = 1; width < lanes; width *= 2) {
    __m128i shuffled[lanes];
    for (int i = 0; i < lanes / 2; ++i) {
      shuffled[2 * i] = _mm_unpacklo_epi8(bytes[i], bytes[i + lanes / 2]);
      shuffled[2 * i + 1] = _mm_unpackhi_epi8(bytes[i], bytes[i + lanes / 2]);
    }
    for (int i = 0; i < lanes; ++i) bytes[i] = shuffled[i];
  }
}

/// Fetches the scores of `rows` rows a lane. @param letters of the lanes' columns; any if a lane is outside
template <class T>
TERRACE_HOST_DEVICE void fetch_scores(const i8* profile, const T* letters, i64 rows, ColumnScores<T>& scores) {
  constexpr int lanes = Pack<T>::lanes, together = lanes < 16 ? lanes : 16;
  for (int lane = 0; lane < lanes; lane += together) {
    for (i64 row = 0; row < rows; row += 16) {
      __m128i bytes[together];
      for (int i = 0; i < together; ++i) {
        const i64 letter = static_cast<i64>(letters[lane + i]) & (profile_letters - 1);
        __builtin_memcpy(&bytes[i], profile + ((lane + i) * profile_letters + letter) * profile_rows + row, 16);
      }
      transpose_bytes(bytes);
      if constexpr (together == lanes) {
        __builtin_memcpy(scores.values[row], bytes, sizeof bytes);
      } else {
        for (int i = 0; i < 16; ++i) __builtin_memcpy(&scores.values[row + i][lane], &bytes[i], 16);
      }
    }
  }
}

}  // namespace terrace::wavefront::TERRACE_ISA
