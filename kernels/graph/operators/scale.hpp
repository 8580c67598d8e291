// An array times a factor, with an offset.
#pragma once

#include "kernels/graph/operator.hpp"

namespace terrace::graph {

struct Scale : Pointwise {
  static constexpr const char* name = "scale";
  static constexpr const char* help = "a * factor + offset";
  static constexpr int operands = 1;
  static constexpr Parameter declared[] = {
      {"factor", ParameterKind::number, "the factor of `scale`; left out: 1", "1"},
      {"offset", ParameterKind::number, "the offset of `scale`; left out: 0", "0"}};
  static constexpr ParameterList parameters = list_of(declared);

  template <class T, class Read>
  TERRACE_HOST_DEVICE static T cell(const Constants<T>& k, const Read& read, i64 i, i64 j) {
    return values::plus(values::times(read(0, i, j), k.numbers[0]), k.numbers[1]);
  }
};

}  // namespace terrace::graph
