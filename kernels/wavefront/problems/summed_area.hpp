// Summed-area table: the inclusive sum of all grid values above and to the left.
#pragma once

#include "kernels/wavefront/problem.hpp"

namespace terrace::wavefront {

inline constexpr Parameter summed_area_parameters[] = {
    {"overflow", ParameterKind::choice, "what a sum does that the table's type cannot hold", "error", "error, wrap"},
};

/// E(i, j+1) = E(i, j) + s, the running sum of row i from left to right, and H(i, j) = H(i-1, j) + E(i, j+1). That is
/// also the order of operations in floating point; it does not depend on how the table is cut. E, not H, is handed
/// right: plane 1 of a column border.
struct SummedArea {
  static constexpr const char* name = "summed_area";
  static constexpr const char* help = "sum of all grid values above and to the left, inclusive";
  static constexpr const char* chosen_by = nullptr;
  static constexpr Items items = Items::grid;
  static constexpr Report report = Report::last;
  static constexpr bool counts = false;
  static constexpr int row_planes = 1;
  static constexpr int column_planes = 2;
  static constexpr ParameterList parameters{summed_area_parameters, 1};

  /// `wrap` is 1 if sums are counted modulo 2^32 (or 2^64), 0 if a sum that does not fit is an error.
  template <class V>
  struct Constants {
    V wrap;
  };

  template <class Reader>
  static constexpr Constants<i64> constants(const Reader& reader) {
    return {reader.is("overflow", "wrap") ? 1 : 0};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Constants<V> constants_as(const Constants<i64>& k) {
    return {V(k.wrap)};
  }
  /// The values are the grid's: no bound follows from the extents alone (see sum_bound).
  static constexpr i64 bound(const Constants<i64>&, i64, i64) { return unbounded; }
  /// The largest magnitude of a sum of rows x columns values of magnitude `largest`.
  static constexpr i64 sum_bound(i64 largest, i64 rows, i64 columns) {
    return bounded_product(largest, bounded_product(rows, columns));
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Cell<V> cell(const Constants<V>&, const Around<V>& n, V s) {
    const V row_sum = add(n.e, s);
    return {add(n.up, row_sum), row_sum, n.f};
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

}  // namespace terrace::wavefront
