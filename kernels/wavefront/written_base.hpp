// The base of problems that are in no list, whose kernels are compiled at run time: all but their cells and borders.
#pragma once

#include "kernels/wavefront/problem.hpp"

namespace terrace::wavefront {

/// A problem (problem.hpp) without parameters that reports its last cell, and hands on H alone.
template <Items kind>
struct WrittenBase {
  static constexpr Items items = kind;
  static constexpr Report report = Report::last;
  static constexpr int row_planes = 1;
  static constexpr int column_planes = 1;

  template <class V>
  struct Constants {};

  template <class V>
  TERRACE_HOST_DEVICE static constexpr Constants<V> constants_as(const Constants<i64>&) {
    return {};
  }
};

}  // namespace terrace::wavefront
