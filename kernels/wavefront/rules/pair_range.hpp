// When and how cells of a local alignment fit 16 bits, exactly.
//
// What a warp holds at a time are cells of one band's rows, and of few columns. They are kept as their distance from
// a base that follows them, as `value - base` in 16 bits of a word, two to a word. Two facts make that exact:
//
// - From a cell to one k rows or columns further, H neither falls by more than a gap of k letters costs, nor rises
//   by more than that and k times the gain. It does not fall further, for an alignment that ends in the first may be
//   gone on with by that gap. It does not rise further, for of one that ends in the second the last k letters may be
//   left out: of what stood beside them, m <= k letters were paired, c stood in gaps; all become one gap, of which
//   each of the c costs no more than before, and the m no more than a gap of k letters. So all true H that a warp
//   holds are within the spread (pair_range()) of one another, and E and F within the cost of a gap's first letter
//   below them. Rows below the band's last, and columns before the block's first and behind its last, are not held,
//   or are those of a table that goes on, in which a pair adds no more than the gain either.
// - What stands for a true value may be any number between 0 and it where the table's best cell cannot come through
//   it (pruning.hpp), but nothing may be larger than the true value. The largest value that a warp holds is true or
//   lower, and so all true ones are at least that less the spread. A value that has become too low for 16 bits may
//   therefore be replaced by any up to that bound.
//
// The base is chosen such that the largest H entering a piece of 32 columns, less the base, lies in [least, most]:
// then what the piece adds does not leave 15 bits, and a value less than the cost of a gap's first letter above the
// base is below the bound, so that it may be raised to that; where the base is the lowest one, -first, it stands for
// a negative number, and is raised to 0 in the same way, as the recurrence asks for.
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

/// What enters a piece may rise by 32 times the gain in it; a score added to a diagonal, and a cell outside the
/// block, which is left out again, may exceed that by one gain each. @param rows of a band
TERRACE_HOST_DEVICE constexpr PairRange pair_range(const PairCosts& costs, i64 rows) {
  // The last half of a warp is 63 columns behind the first, which has 32 in a piece; a row of what lies above.
  constexpr i64 columns = 128, piece = 32;
  const i64 spread = (rows + columns) * (costs.gain + costs.next) + 2 * costs.first;
  return {static_cast<i32>(spread + 2 * costs.first), static_cast<i32>(32767 - (piece + 2) * costs.gain)};
}

/// Whether a sweep by bands of so many rows may keep its cells in 16 bits: scores, plus the cost of a gap's first
/// letter, are bytes, and the base need not follow at every piece.
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
