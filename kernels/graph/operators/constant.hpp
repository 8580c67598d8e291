// One value everywhere.
#pragma once

#include "kernels/graph/operator.hpp"

namespace terrace::graph {

/// The shape of its operand alone counts.
struct Constant : Pointwise {
  static constexpr const char* name = "constant";
  static constexpr const char* help = "an array of one value, of the size of `like`";
  static constexpr int operands = 0;
  static constexpr int more = 1;
  static constexpr const char* more_key = "like";
  static constexpr const char* more_help =
      "the node or input whose size the result of `constant`, `upscale` or `pyramid_up` has; of the last two left "
      "out: "
      "twice that of the operand";
  static constexpr Parameter declared[] = {{"constant", ParameterKind::number, "the value of `constant`", nullptr}};
  static constexpr ParameterList parameters = list_of(declared);

  template <class T>
  static constexpr Area reach(const Constants<T>&, int, Shape, const Area&) {
    return {};
  }
  template <class T, class Read>
  TERRACE_HOST_DEVICE static T cell(const Constants<T>& k, const Read&, i64, i64) {
    return k.numbers[0];
  }
};

}  // namespace terrace::graph
