// Dynamic time warping: the least cost of walking through two series in parallel.
#pragma once

#include "kernels/wavefront/window.hpp"

namespace terrace::wavefront {

inline constexpr Parameter dtw_parameters[] = {
    {"cost", ParameterKind::choice, "cost of a pair of values: their distance, or its square", "absolute",
     "absolute, squared"},
    {"steps", ParameterKind::choice,
     "symmetric1: every step costs its pair once; symmetric2: a diagonal step costs it twice", "symmetric1",
     "symmetric1, symmetric2"},
    {"window", ParameterKind::count, "most cells between a pair and the diagonal, |row - column|; any where absent",
     "", nullptr, 0},
    {"free_ends", ParameterKind::choice,
     "`columns`: all rows are warped to any part of the columns, the one of least cost (subsequence search)", "none",
     "none, columns"},
};

/// With c = |row - column|, or its square (Sakoe and Chiba 1978; names of steps as in Giorgino 2009):
///   symmetric1: H(i, j) = min(H(i-1, j-1), H(i-1, j), H(i, j-1)) + c
///   symmetric2: H(i, j) = min(H(i-1, j-1) + 2 c, min(H(i-1, j), H(i, j-1)) + c)
/// and H(0, 0) = c: the border is infinite but for its corner, 0 or -c(0, 0), from which H(0, 0) is exact. 2 c is
/// exact, too, so that the order of operations leaves no choice. Outside the window H is infinite.
///
/// Free ends of the columns make the border above the first row 0, so that H(0, j) = c in every column, and the least
/// cell of the last row counts (Mueller 2007, subsequence DTW).
template <bool squared, bool diagonal_twice>
struct Dtw {
  static constexpr const char* name = "dtw";
  static constexpr const char* help = "least cost of warping one series to the other (dynamic time warping)";
  static constexpr const char* chosen_by = nullptr;
  static constexpr Items items = Items::values;
  static constexpr Report report = Report::ends;
  static constexpr int row_planes = 1;
  static constexpr int column_planes = 1;
  static constexpr ParameterList parameters{dtw_parameters, 4};

  template <class V>
  struct Constants {
    i64 window = no_window;
    bool free_columns = false;
  };

  template <class Reader>
  static constexpr bool is_meant(const Reader& reader) {
    return reader.is("cost", squared ? "squared" : "absolute") &&
           reader.is("steps", diagonal_twice ? "symmetric2" : "symmetric1");
  }
  template <class Reader>
  static constexpr Constants<i64> constants(const Reader& reader) {
    return {minimum(i64(reader.count("window", no_window)), no_window), reader.is("free_ends", "columns")};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Constants<V> constants_as(const Constants<i64>& k) {
    return {k.window, k.free_columns};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr i64 window(const Constants<V>& k) {
    return k.window;
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Ends ends(const Constants<V>& k) {
    return {k.free_columns, false};
  }
  /// Values are real: no type holds them all.
  static constexpr i64 bound(const Constants<i64>&, i64, i64) { return unbounded; }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V score(const Constants<V>&, V row, V column) {
    const V difference = subtract(row, column);
    if constexpr (squared) return multiply(difference, difference);
    else return absolute(difference);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Cell<V> cell(const Constants<V>&, const Around<V>& n, V s) {
    if constexpr (diagonal_twice) {
      return {minimum(add_twice(n.diagonal, s), add(minimum(n.left, n.up), s)), n.e, n.f};
    } else {
      return {add(minimum(minimum(n.diagonal, n.left), n.up), s), n.e, n.f};
    }
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V gap_opened(const Constants<V>&, V h, V s) {
    return add(h, s);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V paired(const Constants<V>&, V h, V s) {
    if constexpr (diagonal_twice) return add_twice(h, s);
    else return add(h, s);
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Border<V> top(const Constants<V>& k, i64) {
    return {V(k.free_columns ? 0 : infinity), V(0)};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Border<V> left(const Constants<V>&, i64) {
    return {V(infinity), V(0)};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr V corner(const Constants<V>& k, V row, V column) {
    if constexpr (diagonal_twice) return subtract(V(0), score<V>(k, row, column));
    else return V(0);
  }
};

using DtwAbsolute1 = Dtw<false, false>;
using DtwAbsolute2 = Dtw<false, true>;
using DtwSquared1 = Dtw<true, false>;
using DtwSquared2 = Dtw<true, true>;

}  // namespace terrace::wavefront
