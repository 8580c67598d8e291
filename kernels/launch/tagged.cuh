// The row of cells that one band of a block hands to the next, in device memory and in place. Every 32 bits of it
// carry the number of the band that wrote them: that is the flag, and no fence is needed.
#pragma once

#include "kernels/device/instructions.cuh"

namespace terrace::device {

/// Cells of `planes` values of type V each.
template <class V, int planes>
struct TaggedCell {
  /// 64-bit words of a cell.
  static constexpr int words = static_cast<int>(sizeof(V)) / 4 * planes;

  union Bits {
    V values[planes];
    u32 halves[words];
    __device__ Bits() {}
  };

  /// The tag of the band that wrote the last part of the cell at `column`.
  __device__ __forceinline__ static u32 tag_at(const u64* row, i64 column) {
    return static_cast<u32>(load_relaxed(row + column * words + words - 1) >> 32);
  }

  /// A cell as it lies there. Nothing waits for it before it is looked at.
  struct Words {
    u64 word[words];
    /// The tag of the band that wrote its last part.
    __device__ __forceinline__ u32 tag() const { return static_cast<u32>(word[words - 1] >> 32); }
  };
  /// A cell as the band with that tag would have written it.
  __device__ __forceinline__ static Words written(u32 tag, const V (&values)[planes]) {
    Bits bits;
    for (int p = 0; p < planes; ++p) bits.values[p] = values[p];
    Words cell;
    for (int w = 0; w < words; ++w) cell.word[w] = static_cast<u64>(tag) << 32 | bits.halves[w];
    return cell;
  }
  __device__ __forceinline__ static Words ask(const u64* row, i64 column) {
    const u64* at = row + column * words;
    Words cell;
    if constexpr (words == 1) cell.word[0] = load_relaxed(at);
    else {
      for (int w = 0; w < words; w += 2) load_relaxed(at + w, cell.word[w], cell.word[w + 1]);
    }
    return cell;
  }

  /// Reads the cell at `column` of the row; whether the band with that tag wrote it (all of it).
  __device__ __forceinline__ static bool load(const u64* row, i64 column, u32 tag, V (&values)[planes]) {
    return read(ask(row, column), tag, values);
  }
  __device__ __forceinline__ static bool read(const Words& cell, u32 tag, V (&values)[planes]) {
    Bits bits;
    bool fresh = true;
    for (int w = 0; w < words; ++w) {
      bits.halves[w] = static_cast<u32>(cell.word[w]);
      fresh = fresh && static_cast<u32>(cell.word[w] >> 32) == tag;
    }
    for (int p = 0; p < planes; ++p) values[p] = bits.values[p];
    return fresh;
  }

  __device__ __forceinline__ static void store(u64* row, i64 column, u32 tag, const V (&values)[planes]) {
    store_if(true, row, column, tag, values);
  }
  /// The same without a branch, where `wanted`; else nothing.
  __device__ __forceinline__ static void store_if(bool wanted, u64* row, i64 column, u32 tag,
                                                  const V (&values)[planes]) {
    u64* at = row + column * words;
    const Words cell = written(tag, values);
    if constexpr (words == 1) store_relaxed_if(wanted, at, cell.word[0]);
    else {
      for (int w = 0; w < words; w += 2) store_relaxed_if(wanted, at + w, cell.word[w], cell.word[w + 1]);
    }
  }
};

/// As many neighbouring cells of one plane as go into 16 bytes; rows have room for the last ones' neighbours.
template <class V>
struct TaggedColumns {
  static constexpr int columns = sizeof(V) == 4 ? 2 : 1;
  using Cell = TaggedCell<V, columns>;  // cells side by side lie like planes of one cell

  /// Reads `columns` cells from `column`, a multiple of `columns`, on; bit i: the band with that tag wrote the i-th.
  __device__ __forceinline__ static u32 load(const u64* row, i64 column, u32 tag, V (&values)[columns]) {
    typename Cell::Bits bits;
    u64 word[2];
    load_relaxed(row + column / columns * Cell::words, word[0], word[1]);
    bits.halves[0] = static_cast<u32>(word[0]);
    bits.halves[1] = static_cast<u32>(word[1]);
    const u32 first = static_cast<u32>(word[0] >> 32) == tag, second = static_cast<u32>(word[1] >> 32) == tag;
    for (int i = 0; i < columns; ++i) values[i] = bits.values[i];
    return columns == 2 ? first | second << 1 : first & second;
  }

  __device__ __forceinline__ static void store(u64* row, i64 column, u32 tag, const V (&values)[columns]) {
    Cell::store(row, column / columns, tag, values);
  }
};

}  // namespace terrace::device
