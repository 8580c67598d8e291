// From the band kernel's order (packs of rows, a column at a time) to rows.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace terrace::wavefront {

/// Elements alternately from the low (high) halves of a and b.
template <class T>
__m128i interleave_low(__m128i a, __m128i b) {
  if constexpr (sizeof(T) == 2) return _mm_unpacklo_epi16(a, b);
  else if constexpr (sizeof(T) == 4) return _mm_unpacklo_epi32(a, b);
  else return _mm_unpacklo_epi64(a, b);
}
template <class T>
__m128i interleave_high(__m128i a, __m128i b) {
  if constexpr (sizeof(T) == 2) return _mm_unpackhi_epi16(a, b);
  else if constexpr (sizeof(T) == 4) return _mm_unpackhi_epi32(a, b);
  else return _mm_unpackhi_epi64(a, b);
}

/// Transposes the n x n elements (n = 16 bytes / sizeof(T)) at `from` with rows `from_stride` elements apart.
template <class T>
void transpose_square(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride) {
  constexpr int n = 16 / static_cast<int>(sizeof(T));
  __m128i v[n], w[n];
  for (int i = 0; i < n; ++i) std::memcpy(&v[i], from + i * from_stride, 16);
  // Perfect shuffles: after log2(n) of them every index (row, element) has its halves exchanged.
  for (int width = 1; width < n; width *= 2) {
    for (int i = 0; i < n / 2; ++i) {
      w[2 * i] = interleave_low<T>(v[i], v[i + n / 2]);
      w[2 * i + 1] = interleave_high<T>(v[i], v[i + n / 2]);
    }
    std::memcpy(v, w, sizeof v);
  }
  for (int i = 0; i < n; ++i) std::memcpy(to + i * to_stride, &v[i], 16);
}

/// Transposes `columns` x `lanes` elements; both are multiples of 16 bytes / sizeof(T).
template <class T>
void transpose(const T* from, std::int64_t from_stride, std::int64_t columns, std::int64_t lanes, T* to,
               std::int64_t to_stride) {
  constexpr int n = 16 / static_cast<int>(sizeof(T));
  for (std::int64_t lane = 0; lane < lanes; lane += n) {
    for (std::int64_t column = 0; column < columns; column += n) {
      transpose_square(from + column * from_stride + lane, from_stride, to + lane * to_stride + column, to_stride);
    }
  }
}

}  // namespace terrace::wavefront
