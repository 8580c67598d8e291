// The last layers of tiles, which later tiles read.
//
// A tile has its values in a box that begins `halo` before it along each coordinate. A value before the tile along
// some coordinates is in the face of any of them: faces hold the corners, too. The faces of tiles have a place for
// each row of tiles, which the tiles of the row use in turn. At the ends of the block they are those of the task,
// which all rows share; there a tile moves no values before it along other coordinates, unless it is the first one
// there: others have these from the tile before.
#pragma once

#include "kernels/nest/written/work.hpp"

namespace terrace::nest {

/// A face along coordinate n: layers of each statement one after another.
template <class N, int n>
struct Face {
  TERRACE_HOST_DEVICE static constexpr i64 extent(int m) { return m == n ? N::halo(m) : N::extent(m); }
  TERRACE_HOST_DEVICE static constexpr i64 stride(int m) {
    i64 all = 1;
    for (int k = m + 1; k < N::rank; ++k) all *= extent(k);
    return all;
  }
  TERRACE_HOST_DEVICE static constexpr i64 begin(int statement) {
    i64 bytes = 0;
    for (int s = 0; s < statement; ++s) bytes += (N::value_bytes(s) * stride(-1) + 15) / 16 * 16;
    return bytes;
  }
  static constexpr i64 bytes = begin(N::statements);
};

/// The number of a tile among those with the same number along a coordinate.
template <class N>
TERRACE_HOST_DEVICE i64 row_of(const TileWork& work, const Tile& tile, int coordinate) {
  i64 row = 0;
  for (int n = 0; n < N::rank; ++n) {
    if (n != coordinate) row = row * work.tiles[n] + tile.number[n];
  }
  return row;
}

/// A face as a tile moves it: positions [low, high) of the layers; values there begin `shift` layers later.
struct FaceBox {
  i64 low[most_coordinates], high[most_coordinates], shift;
};

template <class N, int n, int s, bool loads>
TERRACE_HOST_DEVICE void move_values(const TileWork& work, const Tile& tile, const Team& team, const FaceBox& box,
                                     typename N::Values& values) {
  using S = typename N::template Statement<s>;
  using F = Face<N, n>;
  auto* own = S::values(values);
  auto* face = reinterpret_cast<typename S::Type*>(work.faces[n] + row_of<N>(work, tile, n) * F::bytes + F::begin(s));
  for_rows<N>(team, box.low, box.high, [&](const i64(&at)[most_coordinates]) {
    i64 from = n == N::rank - 1 ? box.shift : box.shift * N::stride(n), to = 0;
    for (int m = 0; m + 1 < N::rank; ++m) from += at[m] * N::stride(m), to += at[m] * F::stride(m);
    for (i64 k = box.low[N::rank - 1] + team.column; k < box.high[N::rank - 1]; k += team.columns) {
      if constexpr (loads) own[from + k] = face[to + k];
      else face[to + k] = own[from + k];
    }
  });
}

/// The same between the tile and the words of a task.
template <class N, int n, int s, bool loads>
TERRACE_HOST_DEVICE void move_words(const TileWork& work, const Tile& tile, const Team& team, const FaceBox& box,
                                    typename N::Values& values) {
  using S = typename N::template Statement<s>;
  using T = typename S::Type;
  auto* own = S::values(values);
  i64 strides[most_coordinates] = {}, words = 1, first = 0;
  for (int m = N::rank - 1; m >= 0; --m) {
    strides[m] = words;
    words *= m == n ? N::halo(m) : N::halo(m) + work.end[m] - work.begin[m];
    if (m != n) first += (tile.begin[m] - work.begin[m]) * strides[m];
  }
  first += s * words;
  for_rows<N>(team, box.low, box.high, [&](const i64(&at)[most_coordinates]) {
    i64 from = n == N::rank - 1 ? box.shift : box.shift * N::stride(n), to = first;
    for (int m = 0; m + 1 < N::rank; ++m) from += at[m] * N::stride(m), to += at[m] * strides[m];
    for (i64 k = box.low[N::rank - 1] + team.column; k < box.high[N::rank - 1]; k += team.columns) {
      if constexpr (loads) own[from + k] = from_word<T>(work.before[n][to + k]);
      else work.after[n][to + k] = as_word<T>(own[from + k]);
    }
  });
}

template <class N, int n, bool loads, int s = 0>
TERRACE_HOST_DEVICE void move_statements(const TileWork& work, const Tile& tile, const Team& team, const FaceBox& box,
                                         bool at_end, typename N::Values& values) {
  if constexpr (s < N::statements) {
    if (at_end) move_words<N, n, s, loads>(work, tile, team, box, values);
    else move_values<N, n, s, loads>(work, tile, team, box, values);
    move_statements<N, n, loads, s + 1>(work, tile, team, box, at_end, values);
  }
}

/// Moves the face along coordinate n to the values that the tile reads, or from those that it hands on.
template <class N, int n, bool loads>
TERRACE_HOST_DEVICE void move_face(const TileWork& work, const Tile& tile, const Team& team,
                                   typename N::Values& values) {
  if constexpr (N::halo(n) > 0) {
    const bool at_end = loads ? tile.number[n] == 0 : tile.end[n] == work.end[n];
    if (at_end && (loads ? work.before[n] == nullptr : work.after[n] == nullptr)) return;
    FaceBox box{};
    for (int m = 0; m < N::rank; ++m) {
      box.low[m] = m != n && at_end && tile.number[m] > 0 ? N::halo(m) : 0;
      box.high[m] = N::halo(m) + (m == n ? 0 : tile.end[m] - tile.begin[m]);
    }
    box.shift = loads ? 0 : tile.end[n] - tile.begin[n];
    move_statements<N, n, loads>(work, tile, team, box, at_end, values);
  }
}

/// Loads all faces, or stores them. @param sync waits for the other threads of the team
template <class N, bool loads, class Sync, int n = 0>
TERRACE_HOST_DEVICE void move_faces(const TileWork& work, const Tile& tile, const Team& team,
                                    typename N::Values& values, const Sync& sync) {
  if constexpr (n < N::rank) {
    move_face<N, n, loads>(work, tile, team, values);
    sync();  // faces share corners
    move_faces<N, loads, Sync, n + 1>(work, tile, team, values, sync);
  }
}

}  // namespace terrace::nest
