// A block of a nest cut into kernel tiles, as code that is compiled at run time computes it: boxes of coordinates,
// each of which has its values and those that it reads in memory of its own. Tiles hand on their last layers as
// blocks do.
//
// The nest is a struct N that print.hpp prints:
//   depth, rank, statements, arrays              numbers of loops, coordinates, statements, written arrays
//   halo(n), side(n), extent(n), stride(n)       of the values of a tile along coordinate n; extent >= halo + side
//   Values                                       the values of a tile: an array of values a statement
//   Carried                                      the values of the cell before in a row, of statements `is_carried`
//   has_ghosts                                   true if cells outside boxes have first values (print.hpp: Rim)
//   order(k)                                     the statement that is the k-th at a cell
//   Statement<s>, Array<a>                       described where they are printed
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/nest/task.hpp"
#include "kernels/nest/written/exact.hpp"

namespace terrace::nest {

/// The answer of a formula that has a value: 0; else the node that has none, plus 1, or this: the value is beyond the
/// type of the array.
inline constexpr int beyond_type_code = 1 << 30;

/// A block, and the memory that its tiles share.
struct TileWork {
  i64 begin[most_coordinates], end[most_coordinates];  // of the block
  i64 tiles[most_coordinates];                         // along each coordinate
  InputView inputs[most_views];
  const Word* before[most_coordinates];  // as NestTask has them
  Word* after[most_coordinates];
  unsigned char* faces[most_coordinates];  // last layers of tiles along each coordinate, a row of tiles each
};

struct Tile {
  i64 number[most_coordinates], begin[most_coordinates], end[most_coordinates];
};

/// The threads that share a tile: each takes some rows, and some columns of these.
struct Team {
  int row, rows, column, columns;
};

/// The tile of a number.
template <class N>
TERRACE_HOST_DEVICE Tile tile_of(const TileWork& work, const i64 (&number)[most_coordinates]) {
  Tile tile{};
  for (int n = 0; n < N::rank; ++n) {
    tile.number[n] = number[n];
    tile.begin[n] = work.begin[n] + number[n] * N::side(n);
    tile.end[n] = values::smaller(work.end[n], tile.begin[n] + N::side(n));
  }
  return tile;
}

template <class N, int s = 0>
TERRACE_HOST_DEVICE bool may_hold(const i64 (&low)[most_coordinates], const i64 (&high)[most_coordinates]) {
  if constexpr (s < N::statements)
    return N::template Statement<s>::may_hold(low, high) || may_hold<N, s + 1>(low, high);
  return false;
}

/// False if no iteration lies in a tile, nor in the layers before it that it hands on: nothing needs the tile.
template <class N>
TERRACE_HOST_DEVICE bool is_needed(const Tile& tile) {
  i64 low[most_coordinates] = {}, high[most_coordinates] = {};
  for (int n = 0; n < N::rank; ++n) {
    low[n] = tile.begin[n] - N::halo(n);
    high[n] = tile.end[n] - 1;
  }
  return may_hold<N>(low, high);
}

/// The index of a value at coordinates.
template <class N>
TERRACE_HOST_DEVICE i64 index_of(const Tile& tile, const i64 (&at)[most_coordinates]) {
  i64 index = 0;
  for (int n = 0; n < N::rank; ++n) index += (at[n] - tile.begin[n] + N::halo(n)) * N::stride(n);
  return index;
}

/// Loads the values of the cell before, as far as they are carried.
template <class N, int s = 0>
TERRACE_HOST_DEVICE void load_carried(const typename N::Values& values, i64 index, typename N::Carried& before) {
  if constexpr (s < N::statements) {
    using S = typename N::template Statement<s>;
    if constexpr (S::is_carried) S::carried(before) = S::values(values)[index - 1];
    load_carried<N, s + 1>(values, index, before);
  }
}

/// Calls move(position) for the rows of a box that a thread takes: all positions but the last one are set.
template <class N, class Move>
TERRACE_HOST_DEVICE void for_rows(const Team& team, const i64 (&low)[most_coordinates],
                                  const i64 (&high)[most_coordinates], const Move& move) {
  unsigned rows = 1;
  for (int n = 0; n + 1 < N::rank; ++n) rows *= high[n] > low[n] ? static_cast<unsigned>(high[n] - low[n]) : 0;
  for (unsigned row = static_cast<unsigned>(team.row); row < rows; row += static_cast<unsigned>(team.rows)) {
    i64 at[most_coordinates] = {};
    unsigned rest = row;
    for (int n = N::rank - 2; n >= 0; --n) {
      const unsigned extent = static_cast<unsigned>(high[n] - low[n]);
      at[n] = low[n] + rest % extent;
      rest /= extent;
    }
    move(at);
  }
}

template <class T>
TERRACE_HOST_DEVICE Word as_word(T value) {
  Word word;
  if constexpr (static_cast<T>(0.5) != T(0)) word.real = value;
  else word.whole = static_cast<i64>(value);
  return word;
}
template <class T>
TERRACE_HOST_DEVICE T from_word(const Word& word) {
  if constexpr (static_cast<T>(0.5) != T(0)) return static_cast<T>(word.real);
  else return static_cast<T>(word.whole);
}

}  // namespace terrace::nest
