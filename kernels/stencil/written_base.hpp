// What the host knows of a kernel whose cell a job writes: its operands and the number of its fields. The cell itself
// is printed and compiled at run time (cuda/written_source.cpp), in a struct that has this one as its base.
#pragma once

#include "kernels/stencil/lanes.hpp"
#include "kernels/stencil/operator.hpp"

namespace terrace::stencil {

template <int fields_>
struct WrittenBase {
  static constexpr int rank = 2, fields = fields_, radius = 1;
  static constexpr bool has_step = false, own_faces = false;

  /// The place of a constant array that the formulas read among these.
  TERRACE_HOST_DEVICE static constexpr i32 own_array(i32) { return 0; }

  template <class T>
  struct Constants {
    const T* series;  // series s has its value of step t at s * series_steps + t
    i64 series_steps;
  };
  template <class T, class Reader>
  static Constants<T> constants(const Reader& reader) {
    return {reader.drive(), reader.series_steps()};
  }
};

}  // namespace terrace::stencil
