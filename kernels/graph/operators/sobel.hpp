// The gradient of Sobel, along one axis.
#pragma once

#include "kernels/graph/operator.hpp"

namespace terrace::graph {

struct Sobel : Neighbourhood {
  static constexpr const char* name = "sobel";
  static constexpr int radius = 1;
  static constexpr const char* help =
      "the gradient along an axis: differences of the two neighbours, weighted 1 2 1 across it, over 8";
  static constexpr Parameter declared[] = {{"axis", ParameterKind::choice,
                                            "the axis of `sobel`: x from column to column, y from row to row",
                                            nullptr, "x, y"}};
  static constexpr ParameterList parameters = list_of(declared);

  template <class T, class Read>
  TERRACE_HOST_DEVICE static T cell(const Constants<T>& k, const Read& read, i64 i, i64 j) {
    using namespace values;
    const i64 down = k.axis == 0, right = 1 - down;
    const auto difference = [&](i64 row, i64 column) {
      return minus(read(0, row + down, column + right), read(0, row - down, column - right));
    };
    const T middle = times(T{2}, difference(i, j));
    return times(plus(plus(difference(i - right, j - down), middle), difference(i + right, j + down)), T{0.125});
  }
};

}  // namespace terrace::graph
