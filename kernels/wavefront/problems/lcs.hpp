// The length of the longest common subsequence of two sequences.
#pragma once

#include "kernels/values/bits.hpp"
#include "kernels/wavefront/problem.hpp"

namespace terrace::wavefront {

/// H(i, j) = max(H(i-1, j-1) + s, H(i-1, j), H(i, j-1)), s 1 for equal letters, else 0; the border is 0.
struct Lcs {
  static constexpr const char* name = "lcs";
  static constexpr const char* help = "length of the longest common subsequence";
  static constexpr const char* chosen_by = nullptr;
  static constexpr Items items = Items::letters;
  static constexpr Report report = Report::last;
  static constexpr bool score_joins_diagonal = true;
  static constexpr int row_planes = 1;
  static constexpr int column_planes = 1;
  static constexpr ParameterList parameters{};

  template <class V>
  struct Constants {
    V match, mismatch;
  };

  template <class Reader>
  static constexpr Constants<i64> constants(const Reader&) {
    return {1, 0};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Constants<V> constants_as(const Constants<i64>& k) {
    return {V(k.match), V(k.mismatch)};
  }
  static constexpr i64 bound(const Constants<i64>&, i64 rows, i64 columns) {
    return bounded_sum(minimum(rows, columns), 1);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V score(const Constants<V>& k, V row, V column) {
    return select_equal(row, column, k.match, k.mismatch);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Cell<V> cell(const Constants<V>&, const Around<V>& n, V s) {
    return {maximum(add(n.diagonal, s), n.up, n.left), n.e, n.f};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V gap_opened(const Constants<V>&, V h, V) {
    return h;
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Border<V> top(const Constants<V>&, i64) {
    return {V(0), V(0)};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Border<V> left(const Constants<V>&, i64) {
    return {V(0), V(0)};
  }

  /// In differences, which are 0 or 1 (Crochemore et al. 2001; Hyyro 2004): a carry is one from column to column.
  struct Bits {
    static constexpr int planes = 1;
    static constexpr bool counts_pairs = true;

    template <class W>
    struct Rows {
      W same;  // no difference
    };
    template <class W>
    TERRACE_HOST_DEVICE static Rows<W> rows(W plus, W) {
      return {~plus};
    }
    template <class W>
    TERRACE_HOST_DEVICE static W plus(const Rows<W>& rows) {
      return ~rows.same;
    }
    template <class W>
    TERRACE_HOST_DEVICE static W minus(const Rows<W>&) {
      return W(0);
    }
    template <class W>
    TERRACE_HOST_DEVICE static void column(Rows<W>& rows, W differs, W (&bits)[planes], W (&words)[planes]) {
      const W matched = rows.same & ~differs;
      const W sum = add_with_carry(rows.same, matched, bits[0]);
      words[0] = matched | (rows.same & ~sum);
      rows.same = sum | (rows.same & differs);
    }
  };
};

}  // namespace terrace::wavefront
