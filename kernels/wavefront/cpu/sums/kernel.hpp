// Running sums of integers on packs. Included only by cpu/sse2.cpp and cpu/avx2.cpp, each of which is compiled for
// its instruction set and defines TERRACE_ISA.
#pragma once

#include "kernels/values/cpu_pack.hpp"
#include "kernels/wavefront/cpu/sums/sums.hpp"

namespace terrace::wavefront::TERRACE_ISA {

using namespace values::TERRACE_ISA;

using device::u64;

/// The unsigned integer as wide as T (4 or 8 bytes): it wraps.
template <class T, int size = sizeof(T)>
struct UnsignedOf {
  using Type = device::u32;
};
template <class T>
struct UnsignedOf<T, 8> {
  using Type = u64;
};
template <class T>
using Unsigned = typename UnsignedOf<T>::Type;

template <class T>
struct Sums {
  static constexpr i64 lanes = vector_bytes / static_cast<int>(sizeof(T));
  typedef Unsigned<T> Vector __attribute__((vector_size(vector_bytes)));
};

#if defined(__AVX2__)
using Raw = __m256i;
#else
using Raw = __m128i;
#endif

template <class T>
TERRACE_HOST_DEVICE typename Sums<T>::Vector load(const T* from) {
#if defined(__AVX2__)
  return reinterpret_cast<typename Sums<T>::Vector>(_mm256_loadu_si256(reinterpret_cast<const Raw*>(from)));
#else
  return reinterpret_cast<typename Sums<T>::Vector>(_mm_loadu_si128(reinterpret_cast<const Raw*>(from)));
#endif
}

template <class T>
TERRACE_HOST_DEVICE void store(T* to, typename Sums<T>::Vector v) {
#if defined(__AVX2__)
  _mm256_storeu_si256(reinterpret_cast<Raw*>(to), reinterpret_cast<Raw>(v));
#else
  _mm_storeu_si128(reinterpret_cast<Raw*>(to), reinterpret_cast<Raw>(v));
#endif
}

/// Every lane becomes the sum of the lanes up to and including it.
template <class T>
TERRACE_HOST_DEVICE typename Sums<T>::Vector running_sums(typename Sums<T>::Vector v) {
  using Vector = typename Sums<T>::Vector;
#if defined(__AVX2__)
  v += reinterpret_cast<Vector>(_mm256_slli_si256(reinterpret_cast<Raw>(v), static_cast<int>(sizeof(T))));
  if constexpr (sizeof(T) == 4) v += reinterpret_cast<Vector>(_mm256_slli_si256(reinterpret_cast<Raw>(v), 8));
  const Raw low = _mm256_permute2x128_si256(reinterpret_cast<Raw>(v), reinterpret_cast<Raw>(v), 0x08);
  v += reinterpret_cast<Vector>(_mm256_shuffle_epi32(low, sizeof(T) == 4 ? 0xFF : 0xEE));
#else
  v += reinterpret_cast<Vector>(_mm_slli_si128(reinterpret_cast<Raw>(v), static_cast<int>(sizeof(T))));
  if constexpr (sizeof(T) == 4) v += reinterpret_cast<Vector>(_mm_slli_si128(reinterpret_cast<Raw>(v), 8));
#endif
  return v;
}

/// The last lane in every lane.
template <class T>
TERRACE_HOST_DEVICE typename Sums<T>::Vector last_lane(typename Sums<T>::Vector v) {
  using Vector = typename Sums<T>::Vector;
  constexpr int last = sizeof(T) == 4 ? 0xFF : 0xEE;
#if defined(__AVX2__)
  const Raw high = _mm256_permute2x128_si256(reinterpret_cast<Raw>(v), reinterpret_cast<Raw>(v), 0x11);
  return reinterpret_cast<Vector>(_mm256_shuffle_epi32(high, last));
#else
  return reinterpret_cast<Vector>(_mm_shuffle_epi32(reinterpret_cast<Raw>(v), last));
#endif
}

/// Written past the caches, which a table would only drive other things out of.
template <class T>
TERRACE_HOST_DEVICE void stream(T* to, typename Sums<T>::Vector v) {
#if defined(__AVX2__)
  _mm256_stream_si256(reinterpret_cast<Raw*>(to), reinterpret_cast<Raw>(v));
#else
  _mm_stream_si128(reinterpret_cast<Raw*>(to), reinterpret_cast<Raw>(v));
#endif
}

#if defined(__AVX2__)
/// `bytes` bytes in the low end of a vector.
template <int bytes>
TERRACE_HOST_DEVICE __m128i load_low(const void* memory) {
  if constexpr (bytes == 16) return _mm_loadu_si128(static_cast<const __m128i*>(memory));
  if constexpr (bytes == 8) return _mm_loadl_epi64(static_cast<const __m128i*>(memory));
  int four = 0;
  __builtin_memcpy(&four, memory, 4);
  return _mm_cvtsi32_si128(four);
}

/// Narrow values of the grid, each in a lane of T.
template <class T, class G>
TERRACE_HOST_DEVICE Raw widen(const G* grid) {
  constexpr bool is_signed = G(-1) < G(0);
  const __m128i v = load_low<Sums<T>::lanes * sizeof(G)>(grid);
  if constexpr (sizeof(T) == 4) {
    if constexpr (sizeof(G) == 1) return is_signed ? _mm256_cvtepi8_epi32(v) : _mm256_cvtepu8_epi32(v);
    else return is_signed ? _mm256_cvtepi16_epi32(v) : _mm256_cvtepu16_epi32(v);
  } else {
    if constexpr (sizeof(G) == 1) return is_signed ? _mm256_cvtepi8_epi64(v) : _mm256_cvtepu8_epi64(v);
    else if constexpr (sizeof(G) == 2) return is_signed ? _mm256_cvtepi16_epi64(v) : _mm256_cvtepu16_epi64(v);
    else return is_signed ? _mm256_cvtepi32_epi64(v) : _mm256_cvtepu32_epi64(v);
  }
}
#endif

/// Values of the grid as lanes of T, modulo the width of T.
template <class T, class G>
TERRACE_HOST_DEVICE typename Sums<T>::Vector load_grid(const G* grid) {
  if constexpr (sizeof(G) == sizeof(T)) {
    return load<T>(reinterpret_cast<const T*>(grid));
  } else {
#if defined(__AVX2__)
    return reinterpret_cast<typename Sums<T>::Vector>(widen<T>(grid));
#else
    typename Sums<T>::Vector v;
    for (int i = 0; i < Sums<T>::lanes; ++i) v[i] = static_cast<Unsigned<T>>(grid[i]);
    return v;
#endif
  }
}

/// Elements [begin, end) one at a time; returns E after them.
template <class G, class T>
TERRACE_HOST_DEVICE Unsigned<T> add_one_by_one(const RowPart<G, T>& part, i64 begin, i64 end, Unsigned<T> e) {
  for (i64 j = begin; j < end; ++j) {
    e += static_cast<Unsigned<T>>(part.grid[j]);
    part.h[j] = static_cast<T>(static_cast<Unsigned<T>>(part.h[j]) + e);
    if (part.table != nullptr) part.table[j] = part.h[j];
  }
  return e;
}

/// Elements [begin, end), whole vectors. The carry waits for one addition alone.
template <bool stores, class G, class T>
TERRACE_HOST_DEVICE Unsigned<T> add_vectors(RowPart<G, T> part, i64 begin, i64 end, Unsigned<T> e) {
  using Vector = typename Sums<T>::Vector;
  Vector carry = Vector{} + e;
  for (i64 j = begin; j < end; j += Sums<T>::lanes) {
    const Vector sums = running_sums<T>(load_grid<T>(part.grid + j));
    const Vector result = load(part.h + j) + (sums + carry);
    carry += last_lane<T>(sums);
    store(part.h + j, result);
    if constexpr (stores) stream<T>(part.table + j, result);
  }
  return carry[0];
}

template <class G, class T>
T add_row(const RowPart<G, T>& part, T first) {
  constexpr i64 lanes = Sums<T>::lanes;
  const i64 misaligned = static_cast<i64>(reinterpret_cast<u64>(part.table) % vector_bytes / sizeof(T));
  const i64 begin = wavefront::minimum(part.count, misaligned == 0 ? 0 : lanes - misaligned);
  const i64 end = begin + (part.count - begin) / lanes * lanes;
  auto e = add_one_by_one(part, 0, begin, static_cast<Unsigned<T>>(first));
  e = part.table != nullptr ? add_vectors<true>(part, begin, end, e) : add_vectors<false>(part, begin, end, e);
  return static_cast<T>(add_one_by_one(part, end, part.count, e));
}

/// All bits that any magnitude (of negative values, minus one) has.
template <class G>
u64 largest_magnitude(const G* values, i64 count) {
  G bits = 0;
  for (i64 j = 0; j < count; ++j) {
    const G value = values[j];
    bits = static_cast<G>(bits | (G(-1) < G(0) ? value ^ (value >> (8 * sizeof(G) - 1)) : value));
  }
  return static_cast<u64>(bits) + 1;
}

template <class G, class T>
SumKernels<G, T> sum_kernels() {
  return {add_row<G, T>, largest_magnitude<T>, largest_magnitude<G>};
}

template <class G>
void mark(const G* values, i64 count, KeyRange keys, device::u8* marks) {
  // A range without values has 1 and 0 in any type.
  const auto low = static_cast<Key<G>>(keys.low), high = static_cast<Key<G>>(keys.high);
  for (i64 j = 0; j < count; ++j) {
    const Key<G> key = key_of(values[j]);
    marks[j] = static_cast<device::u8>((key >= low) & (key <= high));
  }
}

template <class G>
MarkKernel<G> mark_kernel() {
  return mark<G>;
}

template MarkKernel<device::u8> mark_kernel();
template MarkKernel<device::i8> mark_kernel();
template MarkKernel<device::u16> mark_kernel();
template MarkKernel<i16> mark_kernel();
template MarkKernel<device::u32> mark_kernel();
template MarkKernel<i32> mark_kernel();
template MarkKernel<u64> mark_kernel();
template MarkKernel<i64> mark_kernel();
template MarkKernel<float> mark_kernel();
template MarkKernel<double> mark_kernel();

template SumKernels<device::u8, i32> sum_kernels();
template SumKernels<device::i8, i32> sum_kernels();
template SumKernels<device::u16, i32> sum_kernels();
template SumKernels<i16, i32> sum_kernels();
template SumKernels<device::u32, i32> sum_kernels();
template SumKernels<i32, i32> sum_kernels();
template SumKernels<device::u8, i64> sum_kernels();
template SumKernels<device::i8, i64> sum_kernels();
template SumKernels<device::u16, i64> sum_kernels();
template SumKernels<i16, i64> sum_kernels();
template SumKernels<device::u32, i64> sum_kernels();
template SumKernels<i32, i64> sum_kernels();
template SumKernels<i64, i64> sum_kernels();

}  // namespace terrace::wavefront::TERRACE_ISA
