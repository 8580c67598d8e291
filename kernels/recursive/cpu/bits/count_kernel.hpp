// Counts of the pairs that matrices of bits have in common, for one instruction set. Included by files that define
// TERRACE_ISA.
//
// As for products of bits (kernel.hpp), tables have what any eight rows of v may give together: here their sums, in a
// byte for each column. So an addition of a vector of bytes counts eight pairs for each of its columns. Bytes are
// added to sums of 32 bits before they could overflow.
#pragma once

#include "kernels/recursive/cpu/bits/counts.hpp"

namespace terrace::recursive::TERRACE_ISA {

inline constexpr i64 count_columns = vector_bytes < 32 ? 32 : vector_bytes;
/// Words of u whose pairs a byte counts: 255 / 32.
inline constexpr i64 words_of_bytes = 7;

struct Bytes {
  typedef u8 Vector __attribute__((vector_size(vector_bytes)));

  static Vector load(const u8* at) {
    Vector vector;
    __builtin_memcpy(&vector, at, vector_bytes);
    return vector;
  }
  static void store(u8* at, Vector vector) { __builtin_memcpy(at, &vector, vector_bytes); }
};

/// Cells [column, column + count_columns) of a row of v as bytes; 0 beyond its columns.
inline void spread_row(const CountProduct& p, i64 row, i64 column, u8* cells) {
  for (i64 part = 0; part < count_columns; part += 32) {
    const u32 word = column + part < p.columns ? p.v[row * p.v_stride + (column + part) / 32] : 0;
    for (int bit = 0; bit < 32; ++bit) cells[part + bit] = static_cast<u8>(word >> bit & 1);
  }
}

/// Fills the tables by rows [first, first + 32) of v, those from `depth` on being zero.
inline void fill_count_tables(const CountProduct& p, i64 first, i64 column) {
  alignas(64) u8 cells[count_columns];
  for (i64 table = 0; table < 4; ++table) {
    u8* entries = p.tables + table * 256 * count_columns;
    __builtin_memset(entries, 0, count_columns);
    for (int bit = 0; bit < 8; ++bit) {
      const i64 row = first + 8 * table + bit, size = count_columns << bit;
      if (row < p.depth) spread_row(p, row, column, cells);
      else __builtin_memset(cells, 0, count_columns);
      for (i64 entry = 0; entry < size; entry += count_columns) {
        for (i64 n = 0; n < count_columns; n += vector_bytes)
          Bytes::store(entries + size + entry + n, Bytes::load(entries + entry + n) + Bytes::load(cells + n));
      }
    }
  }
}

/// Adds the sums of the rows of v that are set in `bits`.
inline void count_row(u8* few, const u8* tables, u32 bits) {
  const u8* a = tables + static_cast<i64>(bits & 255) * count_columns;
  const u8* b = tables + static_cast<i64>(256 + (bits >> 8 & 255)) * count_columns;
  const u8* c = tables + static_cast<i64>(512 + (bits >> 16 & 255)) * count_columns;
  const u8* d = tables + static_cast<i64>(768 + (bits >> 24)) * count_columns;
  for (i64 n = 0; n < count_columns; n += vector_bytes) {
    const auto pairs = (Bytes::load(a + n) + Bytes::load(b + n)) + (Bytes::load(c + n) + Bytes::load(d + n));
    Bytes::store(few + n, Bytes::load(few + n) + pairs);
  }
}

/// Adds bytes to sums, and clears them.
inline void move_bytes(u8* __restrict few, i32* __restrict sums, i64 count) {
  for (i64 n = 0; n < count; ++n) sums[n] += few[n];
  __builtin_memset(few, 0, static_cast<unsigned long>(count));
}

/// Words [first, first + words) of all rows of u, word after word: rows of u may lie apart by a power of 2, in which
/// case all of them have the same place in a cache.
inline void pack_words(const CountProduct& p, i64 first, i64 words) {
  constexpr i64 line = 16;  // words of a line of a cache
  for (i64 from = 0; from < words; from += line) {
    const i64 to = from + line < words ? from + line : words;
    for (i64 i = 0; i < p.rows; ++i) {
      for (i64 w = from; w < to; ++w) p.packed_u[w * p.rows + i] = p.u[i * p.u_stride + first + w];
    }
  }
}

/// Counts columns [column, column + count_columns) of x over words [first, first + words) of u, which are packed.
inline void count_part(const CountProduct& p, i64 first, i64 words, i64 column) {
  const i64 count = p.rows * count_columns;
  __builtin_memset(p.sums, 0, static_cast<unsigned long>(count) * sizeof(i32));
  for (i64 w = 0; w < words; ++w) {
    fill_count_tables(p, 32 * (first + w), column);
    const u32* u = p.packed_u + w * p.rows;
    for (i64 i = 0; i < p.rows; ++i) {
      if (u[i] != 0) count_row(p.few + i * count_columns, p.tables, u[i]);
    }
    if (w % words_of_bytes == words_of_bytes - 1 || w + 1 == words) move_bytes(p.few, p.sums, count);
  }
  const i64 there = p.columns - column < count_columns ? p.columns - column : count_columns;
  for (i64 i = 0; i < p.rows; ++i) {
    i32* x = p.x + i * p.x_stride + column;
    for (i64 j = 0; j < there; ++j) x[j] += p.sums[i * count_columns + j];
  }
}

void count_bits(const CountProduct& p) {
  __builtin_memset(p.few, 0, static_cast<unsigned long>(p.rows * count_columns));
  for (i64 k = 0; k < p.depth; k += count_depth) {
    const i64 cells = p.depth - k < count_depth ? p.depth - k : count_depth, words = (cells + 31) / 32;
    pack_words(p, k / 32, words);
    for (i64 j = 0; j < p.columns; j += count_columns) count_part(p, k / 32, words, j);
  }
}

}  // namespace terrace::recursive::TERRACE_ISA
