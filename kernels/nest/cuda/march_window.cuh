// The window of a lane of a march, and the values around a block. Compiled at run time (march_kernel.cuh).
#pragma once

#include "kernels/nest/cuda/block.cuh"
#include "kernels/nest/cuda/march_work.hpp"

namespace terrace::nest {

using device::u32;

/// A value as words of 32 bits.
template <class T>
union Halves {
  static constexpr int count = sizeof(T) > 4 ? 2 : 1;
  u32 half[count];
  T value;
};

/// Values side by side that are moved at once, of `columns` in all.
template <class T, int columns>
struct alignas(sizeof(T) * march_piece_values(sizeof(T), columns)) Pieces {
  static constexpr int size = march_piece_values(sizeof(T), columns), count = columns / size;
  T value[size];
};

/// The window of a lane.
template <class N>
struct MarchShape {
  static constexpr int last = N::rank - 1, line = N::rank - 2;
  static constexpr bool has_levels = N::rank == 3;
  static constexpr int levels = has_levels ? static_cast<int>(N::side(0)) : 1, rows = static_cast<int>(N::side(line)),
                       columns = static_cast<int>(N::side(last));
  static constexpr int levels_before = has_levels ? static_cast<int>(N::halo(0)) : 0,
                       rows_before = static_cast<int>(N::halo(line)),
                       columns_before = static_cast<int>(N::halo(last));
  static constexpr int band_rows = rows * march_lanes;

  /// The index of a value in Values; numbers before 0 are of cells that were made before.
  __device__ static constexpr int index(int level, int row, int column) {
    return (has_levels ? (level + levels_before) * static_cast<int>(N::stride(0)) : 0) +
           (row + rows_before) * static_cast<int>(N::stride(line)) + column + columns_before;
  }
  template <int s>
  __device__ static constexpr int halves() {
    return Halves<typename N::template Statement<s>::Type>::count;
  }
  /// Words of a column of the border from the statement `s` on; of all for 0.
  template <int s = 0>
  __device__ static constexpr int words() {
    if constexpr (s < N::statements) return halves<s>() * (levels + levels_before) * rows_before + words<s + 1>();
    return 0;
  }
  template <int s>
  __device__ static constexpr int first_word() {
    return words<0>() - words<s>();
  }
  static constexpr int chunk_words = words<0>() * columns;
  /// Thread blocks of a processor, by the registers that a window takes.
  static constexpr int blocks = sizeof(typename N::Values) <= 256 ? 4 : 2;
};

/// The place of a value in a face along coordinate n.
template <class N>
__device__ i64 index_in_face(const MarchWork& work, int n, int statement, i64 layer,
                             const i64 (&c)[most_coordinates]) {
  i64 index = 0, words = 1, place = 0;
  for (int m = N::rank - 1; m >= 0; --m) {
    place += (m == n ? layer : c[m] - work.block.begin[m] + N::halo(m)) * words;
    words *= N::halo(m) + (m == n ? 0 : work.block.end[m] - work.block.begin[m]);
  }
  index = statement * words + place;
  return index;
}

/// The value of a cell that the block does not make, and that its cells may read.
template <class N, int s>
__device__ typename N::template Statement<s>::Type value_around(const MarchWork& work,
                                                                const i64 (&c)[most_coordinates]) {
  using S = typename N::template Statement<s>;
  using T = typename S::Type;
  if constexpr (N::has_ghosts) {
    i64 y[most_coordinates] = {}, at[most_coordinates] = {};
    S::locate(c, y);
    if (!S::is_in(y)) {
      S::spread(y, at);
      return S::first_value(work.block, at);
    }
  }
  for (int n = 0; n < N::rank; ++n) {
    if (c[n] >= work.block.begin[n] || work.before[n] == nullptr) continue;
    return from_word<T>(work.before[n][index_in_face<N>(work, n, s, c[n] - work.block.begin[n] + N::halo(n), c)]);
  }
  return T(0);
}

/// Values of a statement in the plane.
template <class N, int s>
__device__ typename N::template Statement<s>::Type* plane_of(const MarchWork& work) {
  i64 bytes = 0;
  for (int n = 0; n < s; ++n)
    bytes += (N::value_bytes(n) * MarchShape<N>::levels_before * work.plane_values + 15) / 16 * 16;
  return reinterpret_cast<typename N::template Statement<s>::Type*>(work.plane + bytes);
}

}  // namespace terrace::nest
