// Edit distance: the least number of letters to change, insert or delete (Levenshtein).
#pragma once

#include "kernels/values/bits.hpp"
#include "kernels/wavefront/problem.hpp"

namespace terrace::wavefront {

/// H(i, j) = min(H(i-1, j-1) + s, H(i-1, j) + 1, H(i, j-1) + 1), s 0 for equal letters, else 1; the border counts the
/// letters before it.
struct EditDistance {
  static constexpr const char* name = "edit_distance";
  static constexpr const char* help = "least number of letters to change, insert or delete";
  static constexpr const char* chosen_by = nullptr;
  static constexpr Items items = Items::letters;
  static constexpr Report report = Report::last;
  static constexpr bool score_joins_diagonal = true;
  static constexpr int row_planes = 1;
  static constexpr int column_planes = 1;
  static constexpr ParameterList parameters{};

  template <class V>
  struct Constants {
    V match, mismatch, gap;
  };

  template <class Reader>
  static constexpr Constants<i64> constants(const Reader&) {
    return {0, 1, 1};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Constants<V> constants_as(const Constants<i64>& k) {
    return {V(k.match), V(k.mismatch), V(k.gap)};
  }
  static constexpr i64 bound(const Constants<i64>&, i64 rows, i64 columns) {
    return bounded_sum(maximum(rows, columns), 1);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V score(const Constants<V>& k, V row, V column) {
    return select_equal(row, column, k.match, k.mismatch);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Cell<V> cell(const Constants<V>& k, const Around<V>& n, V s) {
    const V h = minimum(add(n.diagonal, s), add(minimum(n.up, n.left), k.gap));
    return {h, n.e, n.f};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V gap_opened(const Constants<V>& k, V h, V) {
    return add(h, k.gap);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Border<V> top(const Constants<V>&, i64 column) {
    return {V(column + 1), V(0)};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Border<V> left(const Constants<V>&, i64 row) {
    return {V(row + 1), V(0)};
  }

  /// In differences, which are -1, 0 or 1 (Myers 1999, in the form of Hyyro 2003): planes +1 and -1.
  struct Bits {
    static constexpr int planes = 2;
    static constexpr bool counts_pairs = false;

    template <class W>
    struct Rows {
      W up, down;
    };
    template <class W>
    TERRACE_HOST_DEVICE static Rows<W> rows(W plus, W minus) {
      return {plus, minus};
    }
    template <class W>
    TERRACE_HOST_DEVICE static W plus(const Rows<W>& rows) {
      return rows.up;
    }
    template <class W>
    TERRACE_HOST_DEVICE static W minus(const Rows<W>& rows) {
      return rows.down;
    }
    template <class W>
    TERRACE_HOST_DEVICE static void column(Rows<W>& rows, W differs, W (&bits)[planes], W (&words)[planes]) {
      const W equal = ~differs;
      const W run = add_bits(equal & rows.up, add_bits(rows.up, bits[1]));  // a fall from above is carried in
      const W level = (run ^ rows.up) | equal | rows.down;                  // H(i, j) is H(i-1, j-1)
      words[0] = rows.down | ~(level | rows.up);
      words[1] = level & rows.up;
      const W rise = shift_in(words[0], bits[0]), fall = shift_in(words[1], bits[1]);
      rows.up = fall | ~(level | rise);
      rows.down = level & rise;
    }
  };
};

}  // namespace terrace::wavefront
