// The local maxima of an array.
#pragma once

#include "kernels/graph/operator.hpp"

namespace terrace::graph {

/// A value with a larger neighbour becomes 0; equal neighbours stay, each.
struct Peaks : Neighbourhood {
  static constexpr const char* name = "peaks";
  static constexpr int radius = 1;
  static constexpr const char* help =
      "a where no value of its 3 x 3 neighbourhood is larger, else 0; equal neighbours all stay";

  template <class T, class Read>
  TERRACE_HOST_DEVICE static T cell(const Constants<T>&, const Read& read, i64 i, i64 j) {
    const T value = read(0, i, j);
    bool is_peak = true;
    for (i64 a = -1; a <= 1; ++a) {
      for (i64 b = -1; b <= 1; ++b) is_peak &= !(read(0, i + a, j + b) > value);
    }
    return is_peak ? value : T{0};
  }
};

}  // namespace terrace::graph
