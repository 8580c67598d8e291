// An array without its small values.
#pragma once

#include "kernels/graph/operator.hpp"

namespace terrace::graph {

struct Threshold : Pointwise {
  static constexpr const char* name = "threshold";
  static constexpr const char* help = "0 where a < below, else a";
  static constexpr int operands = 1;
  static constexpr const char* number_key = "below";
  static constexpr Parameter declared[] = {
      {"below", ParameterKind::number, "values below it become 0 by `threshold`", nullptr}};
  static constexpr ParameterList parameters = list_of(declared);

  template <class T, class Read>
  TERRACE_HOST_DEVICE static T cell(const Constants<T>& k, const Read& read, i64 i, i64 j) {
    const T value = read(0, i, j);
    return value < k.numbers[0] ? T{0} : value;
  }
};

}  // namespace terrace::graph
