// The positions of an array's values above 0.
#pragma once

#include "kernels/graph/operator.hpp"
#include "kernels/graph/reductions/makes.hpp"

namespace terrace::graph {

/// Row and column of each value above 0, in row-major order. The memory of a result has `most` of them, then their
/// number, also where that is larger: a f64, and an element that is 0.
struct Positions {
  static constexpr const char* name = "positions";
  static constexpr const char* help =
      "row and column of each value above 0, in row-major order: a list of as many as there are, at most `most`";
  static constexpr Parameter declared[] = {{"most", ParameterKind::integer,
                                            "the most entries of `positions`, each 16 bytes of memory; more are an "
                                            "error that names their number; left out: 262144",
                                            "262144", nullptr, 1, 1e9}};
  static constexpr ParameterList parameters = list_of(declared);
  static constexpr Makes makes = Makes::positions;

  i64 most = 262144;

  /// Elements of the memory of a result.
  TERRACE_HOST_DEVICE constexpr i64 elements() const { return 2 * most + 2; }
  /// The element that has their number.
  TERRACE_HOST_DEVICE constexpr i64 number_at() const { return 2 * most; }

  template <class T>
  TERRACE_HOST_DEVICE static constexpr bool is_listed(T value) {
    return value > 0;
  }
};

}  // namespace terrace::graph
