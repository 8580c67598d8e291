// Letters as words of bits.
#pragma once

#include <emmintrin.h>

#include <cstddef>
#include <cstring>

#include "kernels/values/bits.hpp"

namespace terrace::values {

using device::i64;
using device::u8;

/// The first `count` bits, from the lowest.
inline u64 low_bits(i64 count) { return count >= 64 ? ~u64{0} : (u64{1} << count) - 1; }

/// The first `count` letters (at most 64) as words, a plane of bits a word: the first letter in the lowest bit.
/// @param bits of the codes that are looked at; planes of others are 0
inline void pack_letters(const u8* codes, i64 count, u64 (&planes)[code_bits], unsigned bits = 255) {
  alignas(16) u8 letters[64] = {};
  std::memcpy(letters, codes, static_cast<std::size_t>(count));
  for (u64& plane : planes) plane = 0;
  for (int part = 0; part < 4; ++part) {
    const __m128i bytes = _mm_load_si128(reinterpret_cast<const __m128i*>(letters) + part);
    for (int k = 0; k < code_bits; ++k) {
      if ((bits >> k & 1) == 0) continue;
      const auto plane = static_cast<unsigned>(_mm_movemask_epi8(_mm_slli_epi16(bytes, 7 - k)));
      planes[k] |= static_cast<u64>(plane) << (16 * part);
    }
  }
}

/// The bits in reverse order.
inline u64 reversed(u64 word) {
  const auto swap = [&](u64 mask, int width) { word = (word >> width & mask) | (word & mask) << width; };
  swap(0x5555555555555555, 1);
  swap(0x3333333333333333, 2);
  swap(0x0F0F0F0F0F0F0F0F, 4);
  return __builtin_bswap64(word);
}

}  // namespace terrace::values
