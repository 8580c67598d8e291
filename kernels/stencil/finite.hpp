// Cells that are not finite.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"

namespace terrace::stencil {

using device::i64;

/// True unless the value is infinite or NaN.
template <class T>
TERRACE_HOST_DEVICE constexpr bool is_finite(T value) {
  return value - value == 0;
}

/// The number of cells that are infinite or NaN, and the first of them. Cells are numbered field by field, each field
/// row-major.
struct NotFinite {
  static constexpr i64 none = 0x7FFFFFFFFFFFFFFF;

  i64 count = 0;
  i64 first = none;

  TERRACE_HOST_DEVICE constexpr void add(i64 cell) {
    ++count;
    first = cell < first ? cell : first;
  }
  TERRACE_HOST_DEVICE constexpr void add(const NotFinite& others) {
    count += others.count;
    first = others.first < first ? others.first : first;
  }
};

}  // namespace terrace::stencil
