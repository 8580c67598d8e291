// The concept of a wavefront problem: the computation of one cell of a two-dimensional table from its neighbours.
//
// The table has cells (i, j), 0 <= i < rows, 0 <= j < columns. Each cell takes
//
//            j-1              j
//   i-1   H(i-1, j-1)   H(i-1, j), F(i, j)        and a score s(i, j) made from the items of row i and column j
//   i     H(i, j-1), E(i, j)                      (letters, values) or found in a grid,
//
// and gives H(i, j), which the table stores, E(i, j+1), handed right, and F(i+1, j), handed down. E and F are the
// values that *enter* the next cell, so that they are computed once, not by producer and consumer. The recurrence's
// own border gives H for i = -1 or j = -1, E(i, 0) and F(0, j).
//
// A problem P is a struct without data:
//
//   static constexpr const char* name;       as in a job; variants (linear and affine gaps) share one
//   static constexpr const char* help;       one sentence
//   static constexpr const char* chosen_by;  the parameter whose presence picks this variant; null: none
//   template <class Reader> static bool is_meant(const Reader& reader);
//       optional: true if the choices of the settings pick this variant (reader as below)
//   static constexpr Items items;            the inputs of s
//   static constexpr Report report;          the cell that a sweep reports
//   template <class K> static i64 gain(const K&);    with Report::best alone: the most that s adds to a score, or 0;
//       every H, E and F is then at least 0, and gaps add nothing (pruning.hpp)
//   template <class V> static Ends ends(const Constants<V>&);      with Report::ends alone
//   static constexpr bool score_joins_diagonal = true;
//       optional: score() is select_equal(row, column, k.match, k.mismatch), and cell() uses n.diagonal and the score
//       in their sum alone, so that a sweep may add them in its own way; with Report::best, k also has
//       the costs of gaps (pair_costs in pair_range.hpp)
//   static constexpr bool scores_by_matrix = true;
//       optional: score() is k.scale * k.matrix->scores[row][column] (substitution.hpp), and cell() uses n.diagonal
//       and the score in their sum alone, so that a sweep may keep the scores of its rows with every letter;
//       score() is then for the host alone
//   static constexpr bool counts;            sums alone: s is 1 for a value that BlockTask::keys name, else 0
//   static constexpr int row_planes;         planes of a row border: 1 (H) or 2 (H, F)
//   static constexpr int column_planes;      planes of a column border: 1 (H) or 2 (H, E)
//   static constexpr ParameterList parameters;
//   template <class V> struct Constants;     the parameters as values
//   template <class Reader> static Constants<i64> constants(const Reader& reader);
//       from scaled settings: reader.scaled("gap") is the parameter times the scale, reader.scale() the scale,
//       reader.is("overflow", "wrap") true if a choice has that word, reader.count("window", absent) an integer,
//       reader.matrix() the substitution matrix, which outlives the constants
//   template <class V> static Constants<V> constants_as(const Constants<i64>&);    the same in another type
//   static i64 bound(const Constants<i64>&, i64 rows, i64 columns);
//       no value that arises anywhere (H, E, F, s, sums of two) is larger in magnitude; unbounded when it may
//       leave 63 bits. Integer problems only need a type that holds it.
//   template <class V> static V score(const Constants<V>&, V row, V column);       letters and values only
//   template <class V> static Cell<V> cell(const Constants<V>&, const Around<V>&, V score);
//   template <class V> static Border<V> top(const Constants<V>&, i64 column);      -1 <= column < columns
//   template <class V> static Border<V> left(const Constants<V>&, i64 row);        -1 <= row < rows
//       top(k, -1).h == left(k, -1).h is the corner, unless the problem has
//   template <class V> static V corner(const Constants<V>&, V row, V column);
//       optional, values only: the corner from the items of row 0 and column 0
//   template <class V> static V gap_opened(const Constants<V>&, V h, V score);     letters and values, for paths
//   (trace.hpp)
//       H with the first letter of a gap after it: without a plane of gaps the whole change of H by
//       a step up or left
//   template <class V> static V paired(const Constants<V>&, V h, V score);
//       optional: H after a diagonal step; if absent, it adds the score
//   template <class V> static i64 window(const Constants<V>&);
//       optional: cells (i, j) with |i - j| > window, also in the border, are +infinity (window.hpp):
//       a sweep need not compute them
//   struct Bits;                             optional: the same in differences, a bit a row (bits.hpp)
//       for problems on letters whose differences from cell to neighbouring cell are -1, 0 or 1 and which
//       report the last cell. Words W have one row a bit, the first in the lowest.
//       static constexpr int planes;         1: differences are 0 or 1; 2: also -1, in the second plane
//       static constexpr bool counts_pairs;  H counts pairs of equal letters, and a letter without a partner 0; or H
//       counts differences, and it 1
//       template <class W> struct Rows;      H(i, j) - H(i-1, j) of the rows of a word, in any form
//       template <class W> static Rows<W> rows(W plus, W minus);            from the rows with +1 and with -1
//       template <class W> static W plus(const Rows<W>&), minus(const Rows<W>&);
//       template <class W> static void column(Rows<W>&, W differs, W (&bits)[planes], W (&words)[planes]);
//           from column j-1 to j; `differs` has the rows whose letters are not the column's. `bits`, 0 or 1 each:
//           H(i, j) - H(i, j-1) above the first row, on return of the last row; `words`: of every row
//
// `cell` and `score` are branch-free and written in operations.hpp, so that V may be a scalar, a pack of SIMD lanes
// or a pair in one register. Letters are codes compared for equality (a letter that equals nothing has a code of its
// own in rows and another in columns). Values that a problem does not hand on (E without a second column plane, F
// without a second row plane) are neither read nor written by sweeps.
#pragma once

#include "kernels/device/integers.hpp"
#include "kernels/values/operations.hpp"
#include "pipeline/base/parameter.hpp"

namespace terrace::wavefront {

using namespace values;

using device::i64;

/// The inputs of the score of a cell.
enum class Items {
  letters,  // u8 codes of its row and column
  values,   // numbers of its row and column, of the sweep's value type
  grid      // one number a cell
};

/// Which cell a sweep reports.
enum class Report {
  best,  // the largest H above 0; ties: smallest row, then smallest column
  last,  // the last cell
  ends   // the best cell that may end an alignment, of values the least one; the border of the recurrence of letters
         // counts; ties as for best
};

/// True if the scores of P come from a substitution matrix.
template <class P>
inline constexpr bool by_matrix = requires {
  requires P::scores_by_matrix;
};

/// Ends of an alignment (Report::ends), in addition to the last cell: any cell of the last row or column.
struct Ends {
  bool last_row, last_column;
};

/// The inputs of a cell: H(i-1, j-1), H(i-1, j), H(i, j-1), E(i, j), F(i, j).
template <class V>
struct Around {
  V diagonal, up, left, e, f;
};

/// The outputs of a cell: H(i, j), E(i, j+1), F(i+1, j).
template <class V>
struct Cell {
  V h, e, f;
};

/// A cell of the recurrence's border: H, and the gap that it hands on: F(0, j) at the top, E(i, 0) at the left.
template <class V>
struct Border {
  V h, gap;
};

/// Result of bound() if no 64-bit type certainly holds every value.
inline constexpr i64 unbounded = 9223372036854775807LL;

/// a * b for a, b >= 0; unbounded if it leaves 63 bits.
constexpr i64 bounded_product(i64 a, i64 b) { return b != 0 && a > unbounded / b ? unbounded : a * b; }

/// a + b for a, b >= 0; unbounded if it leaves 63 bits.
constexpr i64 bounded_sum(i64 a, i64 b) { return a > unbounded - b ? unbounded : a + b; }

constexpr i64 magnitude(i64 a) { return a < 0 ? -a : a; }

/// Converts to the infinity of any floating type.
inline constexpr double infinity = __builtin_bit_cast(double, 0x7FF0000000000000LL);

/// True if P computes its corner from items.
template <class P, class V>
concept has_corner = requires(const typename P::template Constants<V>& k, V item) {
  P::corner(k, item, item);
};

/// A value in the form in which a block reports it: an integer unchanged; of other numbers, which are costs, the bits
/// of the f64, inverted, so that of two costs the lesser has the larger number.
template <class V>
TERRACE_HOST_DEVICE constexpr i64 reported(V value) {
  if constexpr (V(0.5) == V(0)) return value;
  else return ~__builtin_bit_cast(i64, static_cast<double>(value));
}

/// The cost in a report. Runs of earlier versions did not invert the bits.
TERRACE_HOST_DEVICE constexpr double reported_cost(i64 score) {
  return __builtin_bit_cast(double, score < 0 ? ~score : score);
}

/// True if value a is better than b for problem P: of letters it is larger, of values less.
template <class P, class V>
TERRACE_HOST_DEVICE constexpr bool is_better(V a, V b) {
  if constexpr (P::items == Items::values) return b > a;
  else return a > b;
}

}  // namespace terrace::wavefront
