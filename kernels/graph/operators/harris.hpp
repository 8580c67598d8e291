// The response of the corner detector of Harris and Stephens (1988).
#pragma once

#include "kernels/graph/operator.hpp"

namespace terrace::graph {

/// The operands are the summed products of the gradients: xx, xy, yy.
struct Harris : Pointwise {
  static constexpr const char* name = "harris";
  static constexpr const char* help = "(xx*yy - xy*xy) - k*((xx + yy)*(xx + yy)) of xx, xy and yy";
  static constexpr int operands = 3;
  static constexpr Parameter declared[] = {
      {"k", ParameterKind::number, "the weight of the squared trace in `harris`; left out: 0.04", "0.04"}};
  static constexpr ParameterList parameters = list_of(declared);

  template <class T, class Read>
  TERRACE_HOST_DEVICE static T cell(const Constants<T>& k, const Read& read, i64 i, i64 j) {
    using namespace values;
    const T xx = read(0, i, j), xy = read(1, i, j), yy = read(2, i, j);
    const T trace = plus(xx, yy);
    return minus(minus(times(xx, yy), times(xy, xy)), times(k.numbers[0], times(trace, trace)));
  }
};

}  // namespace terrace::graph
