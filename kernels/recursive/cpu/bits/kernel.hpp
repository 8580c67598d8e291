// Products of matrices of bits for one instruction set. Included by files that define TERRACE_ISA.
#pragma once

#include "kernels/recursive/cpu/bits/bits.hpp"

namespace terrace::recursive::TERRACE_ISA {

/// Fills the tables by rows [first, first + 32) of v, those from `depth` on being zero, words [word, word + words).
inline void fill_tables(const BitProduct& p, i64 first, i64 word, i64 words) {
  for (i64 table = 0; table < 4; ++table) {
    u32* entries = p.tables + table * 256 * bit_words;
    for (i64 w = 0; w < bit_words; ++w) entries[w] = 0;
    for (i64 n = 1; n < 256; ++n) {
      const i64 row = first + 8 * table + __builtin_ctzll(static_cast<unsigned long long>(n));
      u32* entry = entries + n * bit_words;
      const u32* rest = entries + (n & (n - 1)) * bit_words;
      if (row < p.depth) {
        const u32* from = p.v + row * p.v_stride + word;
        for (i64 w = 0; w < words; ++w) entry[w] = rest[w] | from[w];
      } else {
        for (i64 w = 0; w < words; ++w) entry[w] = rest[w];
      }
    }
  }
}

inline void or_row(u32* __restrict x, const u32* __restrict tables, u32 bits, i64 words) {
  const u32* a = tables + static_cast<i64>(bits & 255) * bit_words;
  const u32* b = tables + static_cast<i64>(256 + (bits >> 8 & 255)) * bit_words;
  const u32* c = tables + static_cast<i64>(512 + (bits >> 16 & 255)) * bit_words;
  const u32* d = tables + static_cast<i64>(768 + (bits >> 24)) * bit_words;
  for (i64 w = 0; w < words; ++w) x[w] |= a[w] | b[w] | c[w] | d[w];
}

void or_bits(const BitProduct& p) {
  for (i64 word = 0; word < p.words; word += bit_words) {
    const i64 words = bit_words < p.words - word ? bit_words : p.words - word;
    for (i64 k = 0; k < p.depth; k += 32) {
      fill_tables(p, k, word, words);
      for (i64 i = 0; i < p.rows; ++i) {
        const u32 bits = p.u[i * p.u_stride + k / 32];
        if (bits == 0) continue;
        u32* x = p.x + i * p.x_stride + word;
        if (words == bit_words) or_row(x, p.tables, bits, bit_words);
        else or_row(x, p.tables, bits, words);
      }
    }
  }
}

}  // namespace terrace::recursive::TERRACE_ISA
