// How products on CUDA are cut for thread blocks, and how values lie in the words that threads compute with. No host
// library header: also compiled by nvcc and at run time.
#pragma once

#include "kernels/recursive/semiring_list.hpp"

namespace terrace::recursive {

using device::i16;
using device::i32;
using device::i64;
using device::u32;
using device::u64;
using device::u8;

/// Whether values of type T lie two in a word: 16-bit minima and maxima of sums, for which there are instructions.
template <class S, class T>
inline constexpr bool in_pairs = sizeof(T) == 2 && (same_type<S, MinPlus> || same_type<S, MaxPlus>);

template <class T, bool pairs>
struct WordOf {
  using Type = T;
  static constexpr i32 lanes = 1;  // values of a word
};
template <>
struct WordOf<i16, true> {
  using Type = u32;
  static constexpr i32 lanes = 2;
};
template <>
struct WordOf<i16, false> {
  using Type = i32;
  static constexpr i32 lanes = 1;
};
template <bool pairs>
struct WordOf<u8, pairs> {
  using Type = u32;
  static constexpr i32 lanes = 4;
};

/// What a thread computes with for values of type T in algebra S.
template <class S, class T>
using Word = typename WordOf<T, in_pairs<S, T>>::Type;
template <class S, class T>
inline constexpr i32 lanes_of = WordOf<T, in_pairs<S, T>>::lanes;

inline constexpr i32 product_threads = 256;
inline constexpr i32 base_pivots = 64;  // that a tile is closed, or eliminated, by at a time

/// The part of x that a thread block computes, in words W: 8 warps, four above one another and two side by side, each
/// of four lanes above one another and eight side by side.
template <class W>
struct ProductTile {
  static constexpr i32 vector = 16 / static_cast<i32>(sizeof(W));  // words that are moved at once
  static constexpr i32 thread_rows = 8;
  static constexpr i32 thread_words = sizeof(W) == 4 ? 8 : 4;  // of a row
  static constexpr i32 rows = 16 * thread_rows;
  static constexpr i32 words = 16 * thread_words;
  static constexpr i32 depth = 16;  // columns of u and rows of v that are in shared memory as one stage
  static constexpr i32 stages = 3;  // there at a time
  static constexpr i32 stage_words = depth * (rows + words);
  static constexpr i32 shared_bytes = stages * stage_words * static_cast<i32>(sizeof(W));
};

/// Packed factors: u in panels of ProductTile::rows rows, column after column, each value in every lane of a word; v
/// in panels of ProductTile::words words, row after row. What is not there is zero. A panel's stages are consecutive.
struct PackedShape {
  i64 u_panels, v_panels, stages;
};

/// @param columns of v, in values
template <class S, class T>
constexpr PackedShape packed_shape(i64 rows, i64 columns, i64 depth) {
  using Tile = ProductTile<Word<S, T>>;
  constexpr i64 width = Tile::words * lanes_of<S, T>;
  return {(rows + Tile::rows - 1) / Tile::rows, (columns + width - 1) / width,
          (depth + Tile::depth - 1) / Tile::depth};
}

/// Words of a packed factor.
template <class W>
constexpr i64 packed_u_words(const PackedShape& shape) {
  return shape.u_panels * shape.stages * ProductTile<W>::depth * ProductTile<W>::rows;
}
template <class W>
constexpr i64 packed_v_words(const PackedShape& shape) {
  return shape.v_panels * shape.stages * ProductTile<W>::depth * ProductTile<W>::words;
}

}  // namespace terrace::recursive
