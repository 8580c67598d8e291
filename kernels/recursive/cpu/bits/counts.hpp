// Types and sizes that the vectorised kernels of counts share with their callers. Included by files that are compiled
// for newer instruction sets than the rest: no host library header.
#pragma once

#include "kernels/recursive/cpu/product.hpp"

namespace terrace::recursive {

using device::u32;
using device::u8;

/// x(i, j) <- x(i, j) + the number of k with u(i, k) = v(k, j) = 1, on one thread. Strides count values from row to
/// row: of x counts, of u and v words of 32 cells, bit b of word w being cell 32 * w + b.
struct CountProduct {
  i64 rows, columns, depth;  // at most count_rows rows; x: rows x columns, u: rows x depth, v: depth x columns cells
  const u32* u;
  i64 u_stride;
  const u32* v;
  i64 v_stride;
  i32* x;
  i64 x_stride;
  u32* packed_u;  // packed_count_words() words; all aligned to 64 bytes
  u8* tables;     // count_tables_size bytes
  u8* few;        // count_sums() bytes
  i32* sums;      // count_sums() counts
};

/// Rows of x that are counted at a time, columns of u whose words are packed for them, and the most columns of x.
inline constexpr i64 count_rows = measured::CpuCounts::rows, count_depth = measured::CpuCounts::depth;
inline constexpr i64 most_count_columns = 64;

/// Room that a thread works in, for factors of at most so many rows and columns.
inline constexpr i64 count_tables_size = i64{4} * 256 * most_count_columns;
constexpr i64 rows_counted(i64 rows) { return rows < count_rows ? rows : count_rows; }
constexpr i64 count_sums(i64 rows) { return rows_counted(rows) * most_count_columns; }
constexpr i64 packed_count_words(i64 rows, i64 depth) {
  return rows_counted(rows) * (((depth < count_depth ? depth : count_depth) + 31) / 32);
}
/// Bytes of all of it.
constexpr i64 count_bytes(i64 rows, i64 depth) {
  return count_tables_size + 5 * count_sums(rows) + 4 * packed_count_words(rows, depth);
}

namespace sse2 {
void count_bits(const CountProduct& product);
}
namespace avx2 {
void count_bits(const CountProduct& product);
}
namespace avx512 {
void count_bits(const CountProduct& product);
}

}  // namespace terrace::recursive
