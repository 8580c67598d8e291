// Conditions under which cells of a local alignment fit 16 bits, exactly.
//
// A warp holds at a time cells of one band's rows, and of few columns. They are kept as their distance from a moving
// base, as `value - base` in 16 bits of a word, two to a word. Two facts make that exact:
//
// - From a cell to one k rows or columns further, H neither falls by more than the cost of a gap of k letters, nor
//   rises by more than that and k times the gain. It does not fall further, for an alignment that ends in the first
//   may be extended by that gap. It does not rise further, for in an alignment that ends in the second the last k
//   letters may be left out: of the letters opposite to them, m <= k letters were paired, c stood in gaps; all become
//   one gap, in which each of the c costs no more than before, and the m no more than a gap of k letters. So all true
//   H that a warp holds are within the spread (pair_range()) of each other, and E and F within the cost of a gap's
//   first letter below them. Rows below the band's last, and columns outside the block, are not held, or are cells of
//   a table that continues, in which a pair also adds no more than the gain.
// - A true value may be replaced by any number between 0 and it if the table's best cell cannot come through it
//   (pruning.hpp), but never by a larger one. The largest value that a warp holds is true or lower, and so all true
//   values are at least that less the spread. A value that has become too low for 16 bits may therefore be replaced
//   by any value up to that bound.
//
// The base is chosen such that the largest H entering a piece of 32 columns, less the base, lies in [least, most]:
// then the piece's additions do not leave 15 bits, and a value less than the cost of a gap's first letter above the
// base is below the bound, so that it may be raised to that; if the base is the lowest one, -first, it represents a
// negative number, and is raised to 0 in the same way, as the recurrence requires.
#pragma once

#include "kernels/wavefront/problem.hpp"

namespace terrace::wavefront {

using device::i32;

/// Costs of a gap's first and of each further letter, and the most that a column adds to a score.
struct PairCosts {
  i64 first, next, gain;
};

template <class P, class V>
TERRACE_HOST_DEVICE constexpr PairCosts pair_costs(const typename P::template Constants<V>& k) {
  if constexpr (P::row_planes == 2) return {i64(k.gap_first), i64(k.gap_next), P::gain(k)};
  else return {i64(k.gap), i64(k.gap), P::gain(k)};
}

/// Distances from the base that the largest H which enters a piece may have.
struct PairRange {
  i32 least, most;
};

/// Values that enter a piece may rise by 32 times the gain in it; a score added to a diagonal, and a cell outside the
/// block, which is left out again, may exceed that by one gain each. @param rows of a band
TERRACE_HOST_DEVICE constexpr PairRange pair_range(const PairCosts& costs, i64 rows) {
  // The last half of a warp is 63 columns behind the first, which has 32 in a piece; a row of the cells above.
  constexpr i64 columns = 128, piece = 32;
  const i64 spread = (rows + columns) * (costs.gain + costs.next) + 2 * costs.first;
  return {static_cast<i32>(spread + 2 * costs.first), static_cast<i32>(32767 - (piece + 2) * costs.gain)};
}

/// True if a sweep by bands of so many rows may keep its cells in 16 bits: scores, plus the cost of a gap's first
/// letter, are bytes, and the base need not move at every piece.
template <class P>
constexpr bool fits_pairs(const typename P::template Constants<i64>& k, i64 rows) {
  const auto is_byte = [](i64 score) { return score >= -128 && score <= 127; };
  const PairCosts costs = pair_costs<P, i64>(k);
  if (costs.first < 0 || costs.next < 0 || costs.next > costs.first || costs.first > 127 || costs.gain > 127)
    return false;
  const PairRange range = pair_range(costs, rows);
  return is_byte(k.match + costs.first) && is_byte(k.mismatch + costs.first) &&
         range.least + 64 * costs.gain < range.most;
}

}  // namespace terrace::wavefront
