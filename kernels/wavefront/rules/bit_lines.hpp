// Rows and columns of a table kept in differences, a bit a cell and plane, and the walk back between them: for
// problems with a bit-parallel form (problem.hpp).
//
// A kept row has a word for every 64 columns of its block, the first column in the highest bit: H(i, j) - H(i,
// j-1). A kept column has a word for every 64 rows, the first row in the lowest bit: H(i, j) - H(i-1, j). Plane
// 0 has the cells in which the difference is +1, plane 1, of problems with two planes, the cells in which it is
// -1.
//
// Paths in a band of diagonals. A sweep of a band gives every cell c a value H'(c) that is no better than the true
// value H(c), because it is the distance of some alignment that leads there; and H'(c) = H(c) if a best path to c
// lies in the band. If the distance of the whole table is less than that of every alignment that leaves the band
// (proven_distance), all alignments with that distance lie in the band, so H' is H in all of their cells. A path goes
// back from such a cell by comparing H there with H of the three cells before, each plus the cost of the step. If a
// step belongs to an alignment with the least distance, the cell before is one of those cells, and both sides are the
// true values; if not, the cell before costs too much by its true value, and more so by H'. So every comparison has
// the same result as in the whole table, and so has the path, ties included.
//
// Words of a kept line without cells of the band need not have been written. A walk replaces them by differences that
// lead away from the band as if only letters without a partner did (band_words): these values are no better than the
// true ones, either.
#pragma once

#include "kernels/wavefront/rules/diagonals.hpp"
#include "kernels/wavefront/task.hpp"
#include "kernels/wavefront/trace.hpp"

namespace terrace::wavefront {

/// Rows or columns of a table that share a word.
inline constexpr i64 word_cells = 64;

/// Kept lines of a block: those that end `rows` rows, or `columns` columns, counted from its beginning; both
/// multiples of word_cells. Lines beyond the table's end are not kept.
struct BitLines {
  i64 rows = 0, columns = 0;
};

/// A difference of neighbouring cells, as the bits of a word of them.
struct BitWord {
  device::u64 plus, minus;
};

/// The differences that a walk takes for cells along a kept line, from the first to the last, that no cell of the
/// band is in: they lead to the band, or away from it.
/// @tparam pairs P::Bits::counts_pairs
template <bool pairs>
TERRACE_HOST_DEVICE constexpr BitWord beside_band(bool towards) {
  constexpr device::u64 all = ~device::u64{0};
  if constexpr (pairs) return towards ? BitWord{all, 0} : BitWord{0, 0};
  else return towards ? BitWord{0, all} : BitWord{all, 0};
}

/// A walk through one block of a sweep that kept lines. Pieces between them are computed again.
struct BitTraceTask {
  i64 row_begin, row_end, column_begin, column_end;  // of the block, at least up to where the path enters it
  i64 cell_rows, cell_columns;                       // from line to line
  const void* rows;                                  // letters (u8) of its rows
  const void* columns;                               // letters (u8) of its columns
  const device::u64* above;      // the last row kept of the block above; null: row_begin is 0, the recurrence's own
  const device::u64* before;     // the last column kept of the block before; null: column_begin is 0
  const device::u64* row_lines;  // kept of the block
  const device::u64* column_lines;  // the same of columns
  i64 row_plane, column_plane;      // words from plane to plane, and from the last plane of a line to the next line
  DiagonalBand band;                // that was swept
  PathPlace place;                  // in the block, or at its end
};

/// A line next to a piece, from the piece's first row or column on.
struct BitLine {
  const device::u64* words;  // of plane 0; null: the recurrence's own
  i64 plane;                 // words from plane to plane
  i64 cell;                  // row or column of the table that the first bit belongs to
  i64 begin, end;            // rows or columns [begin, end] are in the band

  /// @param load(pointer) reads a word
  template <class P, class Load>
  TERRACE_HOST_DEVICE constexpr BitWord word(i64 index, Load&& load) const {
    constexpr bool pairs = P::Bits::counts_pairs;
    const i64 first = cell + index * word_cells;
    if (words == nullptr || first > end) return beside_band<pairs>(false);
    if (first + word_cells <= begin) return beside_band<pairs>(true);
    return {load(words + index), P::Bits::planes > 1 ? load(words + plane + index) : device::u64{0}};
  }
};

/// Differences along the row above a piece.
template <class P>
TERRACE_HOST_DEVICE constexpr BitLine line_above(const BitTraceTask& task, const TracePiece& piece) {
  const i64 line = (piece.row - task.row_begin) / task.cell_rows, row = piece.row - 1;
  const device::u64* kept = line == 0 ? task.above : task.row_lines + (line - 1) * P::Bits::planes * task.row_plane;
  const i64 first = (piece.column - task.column_begin) / word_cells;
  return {kept != nullptr ? kept + first : nullptr, task.row_plane, piece.column, row + task.band.low,
          row + task.band.high};
}

/// Differences down the column before a piece.
template <class P>
TERRACE_HOST_DEVICE constexpr BitLine line_before(const BitTraceTask& task, const TracePiece& piece) {
  const i64 line = (piece.column - task.column_begin) / task.cell_columns, column = piece.column - 1;
  const device::u64* kept =
      line == 0 ? task.before : task.column_lines + (line - 1) * P::Bits::planes * task.column_plane;
  const i64 first = (piece.row - task.row_begin) / word_cells;
  return {kept != nullptr ? kept + first : nullptr, task.column_plane, piece.row, column - task.band.high,
          column - task.band.low};
}

}  // namespace terrace::wavefront
