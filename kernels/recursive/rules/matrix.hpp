// A part of a row-major matrix.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::recursive {

/// Row i begins `i * stride` elements after `data`.
template <class T>
struct Matrix {
  T* data;
  device::i64 stride;
  T* at(device::i64 i, device::i64 j) const { return data + i * stride + j; }
  Matrix<const T> read() const { return {data, stride}; }
  /// From that row on.
  Matrix<const T> at_row(device::i64 i) const { return {at(i, 0), stride}; }
};

}  // namespace terrace::recursive
