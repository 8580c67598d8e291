// The nine-point average of PolyBench's seidel-2d.
#pragma once

#include "kernels/in_place/problem.hpp"

namespace terrace::in_place {

/// x <- the sum of the nine cells around and at x, row by row from the upper left one on, divided by 9: the order of
/// PolyBench 4.2.1.
struct Seidel {
  static constexpr const char* name = "seidel";
  static constexpr const char* help = "average of the nine cells around and at each cell, in place";
  static constexpr bool corners = true;
  static constexpr bool weighs = false;
  static constexpr ParameterList parameters{};

  template <class V>
  struct Constants {};

  template <class Reader>
  static constexpr Constants<double> constants(const Reader&) {
    return {};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Constants<V> constants_as(const Constants<double>&) {
    return {};
  }
  template <class V, class T>
  TERRACE_HOST_DEVICE static constexpr V weigh(const Constants<T>&, V value) {
    return value;
  }
  template <class V, class T>
  TERRACE_HOST_DEVICE static constexpr V cell(const Constants<T>&, const Neighbourhood<V>& n) {
    V sum = add(add(n.up_left, n.up), n.up_right);
    sum = add(add(add(sum, n.left), n.self), n.right);
    sum = add(add(add(sum, n.down_left), n.down), n.down_right);
    return nine_parts(sum);
  }
};

}  // namespace terrace::in_place
