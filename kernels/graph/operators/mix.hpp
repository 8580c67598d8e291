// Two arrays mixed by a third one.
#pragma once

#include "kernels/graph/operator.hpp"

namespace terrace::graph {

struct Mix : Pointwise {
  static constexpr const char* name = "mix";
  static constexpr const char* help = "a * (1 - mask) + b * mask";
  static constexpr int operands = 2;
  static constexpr int more = 1;
  static constexpr const char* more_key = "mask";
  static constexpr const char* more_help = "the array that mixes the two of `mix`: 0 is the first, 1 the second";

  template <class T, class Read>
  TERRACE_HOST_DEVICE static T cell(const Constants<T>&, const Read& read, i64 i, i64 j) {
    const T mask = read(2, i, j);
    return values::plus(values::times(read(0, i, j), values::minus(T{1}, mask)), values::times(read(1, i, j), mask));
  }
};

}  // namespace terrace::graph
