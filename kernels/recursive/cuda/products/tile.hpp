// Cut of products on CUDA for thread blocks, and layout of values in the words that threads compute with.
#pragma once

#include "kernels/recursive/measured.hpp"
#include "kernels/recursive/semiring_list.hpp"

namespace terrace::recursive {

using device::i16;
using device::i32;
using device::i64;
using device::u32;
using device::u64;
using device::u8;

/// True if a word holds two values of type T: 16-bit minima and maxima of sums, for which there are instructions.
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

/// The type that a thread computes with for values of type T in algebra S.
template <class S, class T>
using Word = typename WordOf<T, in_pairs<S, T>>::Type;
template <class S, class T>
inline constexpr i32 lanes_of = WordOf<T, in_pairs<S, T>>::lanes;

inline constexpr i32 pack_threads = measured::CudaProducts::pack_threads;
inline constexpr i32 base_pivots = measured::CudaProducts::base_pivots;  // that a tile is closed, or eliminated, by

/// The part of x that a thread block computes, in words W: warps above one another and two side by side, each of four
/// lanes above one another and eight side by side. Words of four bytes have registers for the next factors.
template <class W>
struct ProductTile {
  using Sizes = measured::CudaProducts;
  static constexpr bool narrow = sizeof(W) == 4;
  static constexpr measured::ProductSizes sizes = narrow ? Sizes::narrow : Sizes::wide;
  static constexpr i32 vector = 16 / static_cast<i32>(sizeof(W));  // words that are moved at once
  /// Pivots whose words lie side by side, in u in turn, in v in the other order: an instruction that adds u and v of
  /// one pivot finds them in different banks of registers.
  static constexpr i32 pair = narrow ? 2 : 1;
  static constexpr i32 group = vector / pair;  // rows, or words of a row, of a vector
  static constexpr i32 thread_rows = Sizes::thread_rows;
  static constexpr i32 thread_words = sizes.thread_words;  // of a row
  static constexpr i32 warps_down = sizes.warps_down, warps_across = Sizes::warps_across;
  static constexpr i32 threads = 32 * warps_down * warps_across;
  static constexpr i32 blocks = sizes.blocks;  // of a multiprocessor
  static constexpr i32 ahead = sizes.ahead;    // turns of pivots that a thread loads factors before it needs them
  static constexpr i32 rows = warps_down * 4 * thread_rows;
  static constexpr i32 words = warps_across * 8 * thread_words;
  static constexpr i32 depth = Sizes::depth;    // columns of u and rows of v that are in shared memory as one stage
  static constexpr i32 stages = Sizes::stages;  // there at a time
  static constexpr i32 stage_words = depth * (rows + words);
  static constexpr i32 shared_bytes = stages * stage_words * static_cast<i32>(sizeof(W));

  /// Place of pivot k's word in a panel of u, or of v.
  TERRACE_HOST_DEVICE static constexpr i32 u_at(i32 k, i32 row) {
    return k / pair * (pair * rows) + pair * row + k % pair;
  }
  TERRACE_HOST_DEVICE static constexpr i32 v_at(i32 k, i32 word) {
    return k / pair * (pair * words) + pair * word + (pair - 1 - k % pair);
  }
  /// The pivot and the row, or word of a row, at a place of a panel.
  struct Place {
    i32 pivot, n;
  };
  TERRACE_HOST_DEVICE static constexpr Place u_place(i32 at) {
    return {at / (pair * rows) * pair + at % pair, at % (pair * rows) / pair};
  }
  TERRACE_HOST_DEVICE static constexpr Place v_place(i32 at) {
    return {at / (pair * words) * pair + (pair - 1 - at % pair), at % (pair * words) / pair};
  }
};

/// Packed factors: u in panels of ProductTile::rows rows, pivot after pivot (ProductTile::u_at), each value in every
/// lane of a word; v in panels of ProductTile::words words (v_at). Padding is zero. A panel's stages are
/// consecutive.
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
