// The score that a local alignment can still reach: parts of a table that cannot change its best cell need not be
// computed (Sandes and de Melo 2013, block pruning).
//
// A part is rows and columns from (row, column) of the table on, with its border: the H, E and F that enter it. Let
// `entering` be the largest of these, and of 0. A cell in the part, or after it, gets its H either along a path that
// enters the part, of which each pair of letters adds `gain` at most and gaps nothing, or from a path that begins at
// 0 in it; there are no more pairs than rows and columns left. So no cell that the part influences (through that
// path) exceeds reach(). If reach() is below a score that some cell is known to have:
//
// - no cell of the part is the best of the table, nor equals it: ties need no care;
// - the values that the part hands on may be replaced by any values between 0 and the true ones. Every later cell
//   then has its true value, or a lower one; in that case its true value came through the part and is below the known
//   score, as are all values that follow from it: the best cells of the table keep their values and their places, and
//   so do all cells of paths that lead to them. A path is followed back as in the whole table, ties included: if a
//   cell before one of its cells has a lower value than the true one, that did not lead there either.
#pragma once

#include "kernels/wavefront/problem.hpp"

namespace terrace::wavefront {

/// True if sweeps for P's best cell may leave out cells that cannot reach it: no value in P falls below 0.
template <class P>
inline constexpr bool can_prune = P::report == Report::best;

/// An upper bound on the score of every alignment that goes through a part of the table.
/// @param gain   of one pair of letters at most, not below 0 (P::gain)
/// @param row    the part's first; @param rows of the table; columns in the same way
TERRACE_HOST_DEVICE constexpr i64 reach(i64 entering, i64 gain, i64 row, i64 rows, i64 column, i64 columns) {
  return entering + gain * minimum(rows - row, columns - column);
}

}  // namespace terrace::wavefront
