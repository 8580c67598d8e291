// Operations on lanes of letters' scores that packs of cells of one table do not need. Included by files that define
// TERRACE_ISA and are compiled for it.
#pragma once

#include "kernels/values/cpu_pack.hpp"

namespace terrace::pairs::TERRACE_ISA {

using namespace values::TERRACE_ISA;
using device::i8;
using device::u8;

/// a + b and a - b, no less and no more than the type has.
#if defined(__AVX512BW__)
#define TERRACE_SATURATING(name, type, bits, operation)                                                  \
  TERRACE_HOST_DEVICE Pack<type> name(Pack<type> a, Pack<type> b) {                                      \
    return reinterpret_cast<Pack<type>::Vector>(                                                         \
        _mm512_##operation##_epi##bits(reinterpret_cast<__m512i>(a.v), reinterpret_cast<__m512i>(b.v))); \
  }
#elif defined(__AVX2__)
#define TERRACE_SATURATING(name, type, bits, operation)                                                  \
  TERRACE_HOST_DEVICE Pack<type> name(Pack<type> a, Pack<type> b) {                                      \
    return reinterpret_cast<Pack<type>::Vector>(                                                         \
        _mm256_##operation##_epi##bits(reinterpret_cast<__m256i>(a.v), reinterpret_cast<__m256i>(b.v))); \
  }
#else
#define TERRACE_SATURATING(name, type, bits, operation)                                               \
  TERRACE_HOST_DEVICE Pack<type> name(Pack<type> a, Pack<type> b) {                                   \
    return reinterpret_cast<Pack<type>::Vector>(                                                      \
        _mm_##operation##_epi##bits(reinterpret_cast<__m128i>(a.v), reinterpret_cast<__m128i>(b.v))); \
  }
#endif
TERRACE_SATURATING(add_saturated, i8, 8, adds)
TERRACE_SATURATING(add_saturated, i16, 16, adds)
TERRACE_SATURATING(subtract_saturated, i8, 8, subs)
TERRACE_SATURATING(subtract_saturated, i16, 16, subs)
#undef TERRACE_SATURATING

/// True if any lane's mask is set.
template <class Vector>
TERRACE_HOST_DEVICE bool any(Vector mask) {
#if defined(__AVX512BW__)
  const auto bits = reinterpret_cast<__m512i>(mask);
  return _mm512_test_epi32_mask(bits, bits) != 0;
#elif defined(__AVX2__)
  return _mm256_movemask_epi8(reinterpret_cast<__m256i>(mask)) != 0;
#else
  return _mm_movemask_epi8(reinterpret_cast<__m128i>(mask)) != 0;
#endif
}

/// Lanes of bytes as lanes of T.
template <class T>
TERRACE_HOST_DEVICE Pack<T> widened(const i8* bytes) {
  if constexpr (sizeof(T) == 1) {
    return Pack<T>::load(bytes);
  } else {
    typedef i8 Bytes __attribute__((vector_size(Pack<T>::lanes)));
    Bytes narrow;
    __builtin_memcpy(&narrow, bytes, sizeof narrow);
    return __builtin_convertvector(narrow, typename Pack<T>::Vector);
  }
}

/// Looks up each of `lanes` letters below 32 in a table of 32.
template <int lanes>
TERRACE_HOST_DEVICE void look_up(const i8* table, const u8* letters, i8* found) {
#if defined(__AVX512BW__)
  if constexpr (lanes == 64) {
    constexpr __mmask16 all = 0xFFFF;  // without a mask GCC 12 warns of a value that is not initialised
    const __m512i at = _mm512_loadu_si512(letters);
    const __m512i low = _mm512_maskz_broadcast_i32x4(all, _mm_loadu_si128(reinterpret_cast<const __m128i*>(table)));
    const __m512i high =
        _mm512_maskz_broadcast_i32x4(all, _mm_loadu_si128(reinterpret_cast<const __m128i*>(table + 16)));
    const __mmask64 is_high = _mm512_test_epi8_mask(at, _mm512_set1_epi8(16));
    _mm512_storeu_si512(found,
                        _mm512_mask_shuffle_epi8(_mm512_maskz_shuffle_epi8(~is_high, low, at), is_high, high, at));
    return;
  }
#endif
#if defined(__AVX2__)
  if constexpr (lanes == 32) {
    const __m256i at = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(letters));
    const __m256i low = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table)));
    const __m256i high = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table + 16)));
    const __m256i is_high = _mm256_cmpgt_epi8(at, _mm256_set1_epi8(15));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(found),
                        _mm256_blendv_epi8(_mm256_shuffle_epi8(low, at), _mm256_shuffle_epi8(high, at), is_high));
    return;
  } else if constexpr (lanes <= 16) {
    __m128i at = _mm_setzero_si128();
    __builtin_memcpy(&at, letters, lanes);
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table + 16));
    const __m128i is_high = _mm_cmpgt_epi8(at, _mm_set1_epi8(15));
    const __m128i both = _mm_blendv_epi8(_mm_shuffle_epi8(low, at), _mm_shuffle_epi8(high, at), is_high);
    __builtin_memcpy(found, &both, lanes);
    return;
  }
#endif
  for (int lane = 0; lane < lanes; ++lane) found[lane] = table[letters[lane]];
}

}  // namespace terrace::pairs::TERRACE_ISA
