// The difference of two arrays.
#pragma once

#include "kernels/graph/operator.hpp"

namespace terrace::graph {

struct Subtract : Pointwise {
  static constexpr const char* name = "subtract";
  static constexpr const char* help = "a - b";
  static constexpr int operands = 2;

  template <class T, class Read>
  TERRACE_HOST_DEVICE static T cell(const Constants<T>&, const Read& read, i64 i, i64 j) {
    return values::minus(read(0, i, j), read(1, i, j));
  }
};

}  // namespace terrace::graph
