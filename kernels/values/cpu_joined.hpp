// Lanes that lie across two packs. Included by files that define TERRACE_ISA (the namespace that separates the
// symbols of instruction sets) and are compiled for it.
#pragma once

#include "kernels/values/cpu_pack.hpp"

namespace terrace::values::TERRACE_ISA {

#if defined(__AVX512F__)
/// Lanes of two packs in a row, from lane `from` of the lower one on; `from` is a constant, 1 ... lanes - 1.
TERRACE_HOST_DEVICE Pack<float> joined_from(Pack<float> low, Pack<float> high, int from) {
  const auto a = reinterpret_cast<__m512i>(low.v), b = reinterpret_cast<__m512i>(high.v);
  const auto as_pack = [](__m512i bits) __attribute__((always_inline)) {
    return Pack<float>(reinterpret_cast<__m512>(bits));
  };
  constexpr __mmask16 all = 0xFFFF;  // without a mask GCC 12 warns of a value that is not initialised
  switch (from) {
    case 1:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 1));
    case 2:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 2));
    case 3:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 3));
    case 4:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 4));
    case 5:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 5));
    case 6:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 6));
    case 7:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 7));
    case 8:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 8));
    case 9:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 9));
    case 10:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 10));
    case 11:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 11));
    case 12:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 12));
    case 13:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 13));
    case 14:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 14));
    case 15:
      return as_pack(_mm512_maskz_alignr_epi32(all, b, a, 15));
    default:
      return low;
  }
}
TERRACE_HOST_DEVICE Pack<double> joined_from(Pack<double> low, Pack<double> high, int from) {
  const auto a = reinterpret_cast<__m512i>(low.v), b = reinterpret_cast<__m512i>(high.v);
  const auto as_pack = [](__m512i bits) __attribute__((always_inline)) {
    return Pack<double>(reinterpret_cast<__m512d>(bits));
  };
  constexpr __mmask8 all = 0xFF;
  switch (from) {
    case 1:
      return as_pack(_mm512_maskz_alignr_epi64(all, b, a, 1));
    case 2:
      return as_pack(_mm512_maskz_alignr_epi64(all, b, a, 2));
    case 3:
      return as_pack(_mm512_maskz_alignr_epi64(all, b, a, 3));
    case 4:
      return as_pack(_mm512_maskz_alignr_epi64(all, b, a, 4));
    case 5:
      return as_pack(_mm512_maskz_alignr_epi64(all, b, a, 5));
    case 6:
      return as_pack(_mm512_maskz_alignr_epi64(all, b, a, 6));
    case 7:
      return as_pack(_mm512_maskz_alignr_epi64(all, b, a, 7));
    default:
      return low;
  }
}
#endif

}  // namespace terrace::values::TERRACE_ISA
