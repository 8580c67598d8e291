// Needleman-Wunsch: the best global alignment of two sequences, with linear or affine gaps.
#pragma once

#include "kernels/wavefront/problem.hpp"
#include "kernels/wavefront/rules/alignment.hpp"
#include "kernels/wavefront/substitution.hpp"

namespace terrace::wavefront {

inline constexpr Parameter needleman_wunsch_parameters[] = {
    match_parameter,
    mismatch_parameter,
    matrix_parameter,
    gap_parameter,
    gap_open_parameter,
    gap_extend_parameter,
    {"free_ends", ParameterKind::choice,
     "whose letters before and after the alignment cost nothing: `columns`: the rows are found whole somewhere in "
     "the "
     "columns; `both`: either may hang over",
     "none", "none, rows, columns, both"}};

/// Shared parts of both variants. A gap's first letter costs `first`, each further one `next`, also in the border:
/// H(-1, j) = -(first + j * next), H(i, -1) likewise, and 0 in the corner (Needleman and Wunsch 1970). Free ends of
/// the columns make H(-1, j) 0, and let an alignment end in any column of the last row; free ends of rows likewise.
struct NeedlemanWunschBase {
  static constexpr const char* name = "needleman_wunsch";
  static constexpr const char* help = "best global alignment of two sequences";
  static constexpr Items items = Items::letters;
  static constexpr Report report = Report::ends;
  static constexpr bool score_joins_diagonal = true;
  static constexpr ParameterList parameters{needleman_wunsch_parameters, 7};

  /// H grows by at most the best score a row or column. It never falls below the cost of one gap over all rows and
  /// one over all columns, nor below the cost of the worst score on the diagonal and one gap. A gap that is opened or
  /// extended from there, and a score that is added, come on top.
  static constexpr i64 global_bound(i64 match, i64 mismatch, i64 first, i64 next, i64 rows, i64 columns) {
    const i64 pairs = minimum(rows, columns), most = maximum(rows, columns), open = first - next;
    const i64 gain = bounded_product(maximum(match, mismatch, i64(0)), pairs);
    const i64 two_gaps = bounded_sum(2 * open, bounded_product(next, bounded_sum(rows, columns)));
    const i64 letters = bounded_product(maximum(-match, -mismatch, i64(0)), pairs);
    const i64 one_gap = maximum(bounded_product(next, most),  // of the border, of the last cell
                                bounded_sum(letters, bounded_product(next, most - pairs)));
    const i64 step = maximum(magnitude(match), magnitude(mismatch), first + next);
    return bounded_sum(maximum(gain, minimum(two_gaps, bounded_sum(one_gap, open))), step);
  }

  template <class Reader>
  static constexpr bool free_rows(const Reader& reader) {
    return reader.is("free_ends", "rows") || reader.is("free_ends", "both");
  }
  template <class Reader>
  static constexpr bool free_columns(const Reader& reader) {
    return reader.is("free_ends", "columns") || reader.is("free_ends", "both");
  }

  /// H of the border `before + 1` letters after the corner; it hands on a gap that is opened there, for no other can
  /// enter: no value needs to represent -infinity.
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Border<V> border(V first, V next, i64 before, bool free) {
    const i64 h = free || before < 0 ? 0 : -(static_cast<i64>(first) + before * static_cast<i64>(next));
    return {V(h), V(h - static_cast<i64>(first))};
  }
};

/// H(i, j) = max(H(i-1, j-1) + s, H(i-1, j) - gap, H(i, j-1) - gap).
struct NeedlemanWunschLinear : NeedlemanWunschBase {
  static constexpr const char* chosen_by = "gap";
  static constexpr int row_planes = 1;
  static constexpr int column_planes = 1;

  template <class V>
  struct Constants {
    V match, mismatch, gap;
    bool free_rows = false, free_columns = false;
  };

  template <class Reader>
  static constexpr Constants<i64> constants(const Reader& reader) {
    return {reader.scaled("match"), reader.scaled("mismatch"), reader.scaled("gap"), free_rows(reader),
            free_columns(reader)};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Constants<V> constants_as(const Constants<i64>& k) {
    return {V(k.match), V(k.mismatch), V(k.gap), k.free_rows, k.free_columns};
  }
  static constexpr i64 bound(const Constants<i64>& k, i64 rows, i64 columns) {
    return global_bound(k.match, k.mismatch, k.gap, k.gap, rows, columns);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V score(const Constants<V>& k, V row, V column) {
    return select_equal(row, column, k.match, k.mismatch);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Cell<V> cell(const Constants<V>& k, const Around<V>& n, V s) {
    return {subtract_maximum(maximum(n.up, n.left), k.gap, add(n.diagonal, s)), n.e, n.f};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Ends ends(const Constants<V>& k) {
    return {k.free_columns, k.free_rows};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V gap_opened(const Constants<V>& k, V h, V) {
    return subtract(h, k.gap);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Border<V> top(const Constants<V>& k, i64 column) {
    return border(k.gap, k.gap, column, k.free_columns);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Border<V> left(const Constants<V>& k, i64 row) {
    return border(k.gap, k.gap, row, k.free_rows);
  }
};

/// A gap of k letters costs open + k * extend (Gotoh 1982), with first = open + extend and next = extend:
///   H(i, j)   = max(H(i-1, j-1) + s, E(i, j), F(i, j))
///   E(i, j+1) = max(E(i, j) - next, H(i, j) - first)
///   F(i+1, j) = max(F(i, j) - next, H(i, j) - first)
struct NeedlemanWunschAffine : NeedlemanWunschBase {
  static constexpr const char* chosen_by = "gap_open";
  static constexpr int row_planes = 2;
  static constexpr int column_planes = 2;

  template <class V>
  struct Constants {
    V match, mismatch, gap_first, gap_next;
    bool free_rows = false, free_columns = false;
  };

  template <class Reader>
  static constexpr Constants<i64> constants(const Reader& reader) {
    return {reader.scaled("match"),
            reader.scaled("mismatch"),
            reader.scaled("gap_open") + reader.scaled("gap_extend"),
            reader.scaled("gap_extend"),
            free_rows(reader),
            free_columns(reader)};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Constants<V> constants_as(const Constants<i64>& k) {
    return {V(k.match), V(k.mismatch), V(k.gap_first), V(k.gap_next), k.free_rows, k.free_columns};
  }
  static constexpr i64 bound(const Constants<i64>& k, i64 rows, i64 columns) {
    return global_bound(k.match, k.mismatch, k.gap_first, k.gap_next, rows, columns);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V score(const Constants<V>& k, V row, V column) {
    return select_equal(row, column, k.match, k.mismatch);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Cell<V> cell(const Constants<V>& k, const Around<V>& n, V s) {
    const V h = maximum(add(n.diagonal, s), n.e, n.f);
    const Gaps<V> handed = gaps(h, n.e, n.f, k.gap_first, k.gap_next);
    return {h, handed.right, handed.down};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Ends ends(const Constants<V>& k) {
    return {k.free_columns, k.free_rows};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V gap_opened(const Constants<V>& k, V h, V) {
    return subtract(h, k.gap_first);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Border<V> top(const Constants<V>& k, i64 column) {
    return border(k.gap_first, k.gap_next, column, k.free_columns);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Border<V> left(const Constants<V>& k, i64 row) {
    return border(k.gap_first, k.gap_next, row, k.free_rows);
  }
};

struct NeedlemanWunschLinearMatrix : WithMatrix<NeedlemanWunschLinear> {};
struct NeedlemanWunschAffineMatrix : WithMatrix<NeedlemanWunschAffine> {};

}  // namespace terrace::wavefront
