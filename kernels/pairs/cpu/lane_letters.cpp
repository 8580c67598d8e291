#include "kernels/pairs/cpu/lane_letters.hpp"

#include <emmintrin.h>

#include <algorithm>
#include <cstring>

namespace terrace::pairs {
namespace {

/// Exchanges rows and columns of 16 x 16 bytes.
void transpose(__m128i (&rows)[16]) {
  // After a step, rows that were 8 apart, then 4, 2 and 1, lie beside one another.
  for (int step = 0; step < 4; ++step) {
    __m128i next[16];
    for (int k = 0; k < 8; ++k) {
      next[2 * k] = _mm_unpacklo_epi8(rows[k], rows[k + 8]);
      next[2 * k + 1] = _mm_unpackhi_epi8(rows[k], rows[k + 8]);
    }
    std::copy(next, next + 16, rows);
  }
}

/// 16 letters of an item from `from` on.
__m128i letters_at(const LaneLetters& item, i64 from, u8 pad) {
  const auto* at = reinterpret_cast<const __m128i*>(item.letters + from);
  if (from + 16 <= item.count) return _mm_loadu_si128(at);
  alignas(16) u8 letters[16];
  std::memset(letters, pad, sizeof letters);
  if (from < item.count) std::memcpy(letters, item.letters + from, static_cast<std::size_t>(item.count - from));
  return _mm_load_si128(reinterpret_cast<const __m128i*>(letters));
}

}  // namespace

void write_lanes(const LaneLetters* items, i64 lanes, i64 count, u8 pad, u8* out) {
  for (i64 from = 0; from < count; from += 16) {
    for (i64 lane = 0; lane < lanes; lane += 16) {
      __m128i rows[16];
      for (int k = 0; k < 16; ++k) rows[k] = letters_at(items[lane + k], from, pad);
      transpose(rows);
      for (i64 k = 0; k < 16 && from + k < count; ++k) {
        u8* at = out + (from + k) * lanes + lane;
        if (lanes % 16 == 0) _mm_storeu_si128(reinterpret_cast<__m128i*>(at), rows[k]);
        else std::memcpy(at, &rows[k], static_cast<std::size_t>(lanes));
      }
    }
  }
}

}  // namespace terrace::pairs
