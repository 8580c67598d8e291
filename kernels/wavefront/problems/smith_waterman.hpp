// Smith-Waterman: the best local alignment of two sequences, with linear or affine gaps.
#pragma once

#include "kernels/wavefront/problem.hpp"
#include "kernels/wavefront/rules/alignment.hpp"
#include "kernels/wavefront/substitution.hpp"

namespace terrace::wavefront {

inline constexpr Parameter smith_waterman_parameters[] = {match_parameter, mismatch_parameter, matrix_parameter,
                                                          gap_parameter,   gap_open_parameter, gap_extend_parameter};

/// Shared parts of both variants. Every H is at least 0 and the border is 0 (Smith and Waterman 1981).
struct SmithWatermanBase {
  static constexpr const char* name = "smith_waterman";
  static constexpr const char* help = "best local alignment of two sequences";
  static constexpr Items items = Items::letters;
  static constexpr Report report = Report::best;
  static constexpr bool score_joins_diagonal = true;
  static constexpr ParameterList parameters{smith_waterman_parameters, 6};

  /// The most that a pair of letters adds to a score, or 0.
  template <class Constants>
  TERRACE_HOST_DEVICE static constexpr i64 gain(const Constants& k) {
    return maximum(maximum(i64(k.match), i64(k.mismatch)), i64(0));
  }

  /// H grows by at most the best score a row or column; nothing falls below minus the largest cost.
  static constexpr i64 local_bound(i64 match, i64 mismatch, i64 cost, i64 rows, i64 columns) {
    const i64 gain = maximum(maximum(match, mismatch), i64(0));
    const i64 loss = maximum(maximum(magnitude(match), magnitude(mismatch)), cost);
    return bounded_sum(bounded_product(gain, bounded_sum(minimum(rows, columns), 1)), loss);
  }
};

/// H(i, j) = max(0, H(i-1, j-1) + s, H(i-1, j) - gap, H(i, j-1) - gap).
struct SmithWatermanLinear : SmithWatermanBase {
  static constexpr const char* chosen_by = "gap";
  static constexpr int row_planes = 1;
  static constexpr int column_planes = 1;

  template <class V>
  struct Constants {
    V match, mismatch, gap;
  };

  template <class Reader>
  static constexpr Constants<i64> constants(const Reader& reader) {
    return {reader.scaled("match"), reader.scaled("mismatch"), reader.scaled("gap")};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Constants<V> constants_as(const Constants<i64>& k) {
    return {V(k.match), V(k.mismatch), V(k.gap)};
  }
  static constexpr i64 bound(const Constants<i64>& k, i64 rows, i64 columns) {
    return local_bound(k.match, k.mismatch, k.gap, rows, columns);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V score(const Constants<V>& k, V row, V column) {
    return select_equal(row, column, k.match, k.mismatch);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Cell<V> cell(const Constants<V>& k, const Around<V>& n, V s) {
    const V h = subtract_maximum_zero(maximum(n.up, n.left), k.gap, add(n.diagonal, s));
    return {h, n.e, n.f};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V gap_opened(const Constants<V>& k, V h, V) {
    return subtract(h, k.gap);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Border<V> top(const Constants<V>&, i64) {
    return {V(0), V(0)};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Border<V> left(const Constants<V>&, i64) {
    return {V(0), V(0)};
  }
};

/// A gap of k letters costs open + k * extend (Gotoh 1982), with first = open + extend and next = extend:
///   H(i, j)   = max(H(i-1, j-1) + s, E(i, j), F(i, j))
///   E(i, j+1) = max(E(i, j) - next, H(i, j) - first, 0)
///   F(i+1, j) = max(F(i, j) - next, H(i, j) - first, 0)
/// The 0 stands in E and F: H is the same as with max(0, ...) there, and no value needs to stand for -infinity.
struct SmithWatermanAffine : SmithWatermanBase {
  static constexpr const char* chosen_by = "gap_open";
  static constexpr int row_planes = 2;
  static constexpr int column_planes = 2;

  template <class V>
  struct Constants {
    V match, mismatch, gap_first, gap_next;
  };

  template <class Reader>
  static constexpr Constants<i64> constants(const Reader& reader) {
    return {reader.scaled("match"), reader.scaled("mismatch"),
            reader.scaled("gap_open") + reader.scaled("gap_extend"), reader.scaled("gap_extend")};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Constants<V> constants_as(const Constants<i64>& k) {
    return {V(k.match), V(k.mismatch), V(k.gap_first), V(k.gap_next)};
  }
  static constexpr i64 bound(const Constants<i64>& k, i64 rows, i64 columns) {
    return local_bound(k.match, k.mismatch, k.gap_first, rows, columns);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V score(const Constants<V>& k, V row, V column) {
    return select_equal(row, column, k.match, k.mismatch);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Cell<V> cell(const Constants<V>& k, const Around<V>& n, V s) {
    const V diagonal = add(n.diagonal, s);
    const V h = maximum(diagonal, n.e, n.f);
    const Gaps<V> gaps = gaps_or_zero(h, maximum(diagonal, n.e), n.e, n.f, k.gap_first, k.gap_next);
    return {h, gaps.right, gaps.down};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V gap_opened(const Constants<V>& k, V h, V) {
    return subtract(h, k.gap_first);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Border<V> top(const Constants<V>&, i64) {
    return {V(0), V(0)};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Border<V> left(const Constants<V>&, i64) {
    return {V(0), V(0)};
  }
};

struct SmithWatermanLinearMatrix : WithMatrix<SmithWatermanLinear> {};
struct SmithWatermanAffineMatrix : WithMatrix<SmithWatermanAffine> {};

}  // namespace terrace::wavefront
