// Types and sizes that the vectorised kernels of tables of bits share with their callers. Included by files that are
// compiled for newer instruction sets than the rest: no host library header.
#pragma once

#include "kernels/device/integers.hpp"
#include "kernels/recursive/measured.hpp"

namespace terrace::recursive {

using device::i64;
using device::u32;

/// x <- x or (u and v) of matrices of bits, on one thread: cell 32 * w + b of a row is bit b of its word w. Strides
/// count words from row to row. x may be u or v.
struct BitProduct {
  i64 rows, words, depth;  // x: rows x words, u: rows x depth cells, v: depth x words
  const u32* u;
  i64 u_stride;
  const u32* v;
  i64 v_stride;
  u32* x;
  i64 x_stride;
  u32* tables;  // bit_tables_size words, aligned to 64 bytes
};

/// So many words of a row are made at a time, by tables of all that eight rows of v may give together: the method of
/// Arlazarov, Dinic, Kronrod and Faradzev (1970).
inline constexpr i64 bit_words = measured::CpuBits::words;
inline constexpr i64 bit_tables_size = i64{4} * 256 * bit_words;

namespace sse2 {
void or_bits(const BitProduct& product);
}
namespace avx2 {
void or_bits(const BitProduct& product);
}
namespace avx512 {
void or_bits(const BitProduct& product);
}

}  // namespace terrace::recursive
