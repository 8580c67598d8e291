// Bands of diagonals: the part of a table in which global alignments of few differences lie (Ukkonen 1985).
//
// Cell (i, j) is on diagonal j - i. A global alignment leads from diagonal 0 to diagonal columns - rows, and a letter
// without a partner moves it by one. So one that touches diagonal x has a distance (edits, or letters without a
// partner) of at least |x| + |columns - rows - x|.
#pragma once

#include "kernels/wavefront/window.hpp"

namespace terrace::wavefront {

/// The diagonals [low, high]. What lies outside counts as if only letters without a partner led there and on, so that
/// a sweep of the band gives the distance of the best alignment inside it, which is never less than the true one.
struct DiagonalBand {
  i64 low = -no_window, high = no_window;

  TERRACE_HOST_DEVICE constexpr bool whole() const { return low == -no_window && high == no_window; }
  /// Columns that rows [row_begin, row_end) have in the band.
  TERRACE_HOST_DEVICE constexpr ColumnRange columns(i64 row_begin, i64 row_end) const {
    return {row_begin + low, row_end + high};
  }
};

/// The band that reaches `margin` diagonals, at least 1, beyond the diagonals of both ends.
constexpr DiagonalBand band_of_margin(i64 rows, i64 columns, i64 margin) {
  const i64 shift = columns - rows;
  return {minimum(shift, i64(0)) - margin, maximum(shift, i64(0)) + margin};
}

/// The least distance of an alignment that leaves that band: one no larger, found inside, is the true one.
constexpr i64 proven_distance(i64 rows, i64 columns, i64 margin) {
  return absolute(columns - rows) + 2 * (margin + 1);
}

/// The least margin, at least 1, for which proven_distance() is at least `distance`.
constexpr i64 proving_margin(i64 rows, i64 columns, i64 distance) {
  return maximum((distance - absolute(columns - rows) - 1) / 2, i64(1));
}

/// The share of the table's cells that lie in the band.
constexpr double share_of(const DiagonalBand& band, i64 rows, i64 columns) {
  return cells_on_diagonals(band.low, band.high, 0, rows, 0, columns) /
         (static_cast<double>(rows) * static_cast<double>(columns));
}

/// The distance that a score means, of a problem with a bit-parallel form, where so many letters of rows and columns
/// are consumed. @param counts_pairs P::Bits::counts_pairs
constexpr i64 distance_of(bool counts_pairs, i64 score, i64 letters) {
  return counts_pairs ? letters - 2 * score : score;
}

/// The same of problem P.
template <class P>
constexpr i64 distance_of(i64 score, i64 letters) {
  return distance_of(P::Bits::counts_pairs, score, letters);
}

}  // namespace terrace::wavefront
