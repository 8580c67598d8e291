// A floating-point value of a cell on the device. Every operation is one rounding, and none is contracted with
// another, so that cells have the same bits as on the CPU.
#pragma once

#include "kernels/values/rounded.hpp"
#include "kernels/values/word.cuh"

namespace terrace::values {

/// A float or double with the operations of operations.hpp; found there by argument-dependent lookup.
template <class T>
struct Real {
  T value;

  Real() = default;
  TERRACE_HOST_DEVICE explicit constexpr Real(T number) : value(number) {}

  TERRACE_HOST_DEVICE friend bool operator==(Real a, Real b) { return a.value == b.value; }
  TERRACE_HOST_DEVICE friend bool operator>(Real a, Real b) { return a.value > b.value; }
};

template <class T>
__device__ __forceinline__ Real<T> add(Real<T> a, Real<T> b) {
  return Real<T>(plus(a.value, b.value));
}
template <class T>
__device__ __forceinline__ Real<T> subtract(Real<T> a, Real<T> b) {
  return Real<T>(minus(a.value, b.value));
}
template <class T>
__device__ __forceinline__ Real<T> multiply(Real<T> a, Real<T> b) {
  return Real<T>(times(a.value, b.value));
}
/// 2 b is exact: a multiply-add rounds as an addition does.
template <class T>
__device__ __forceinline__ Real<T> add_twice(Real<T> a, Real<T> b) {
  return Real<T>(fused(T(2), b.value, a.value));
}
template <class T>
__device__ __forceinline__ Real<T> absolute(Real<T> a) {
  return Real<T>(magnitude(a.value));
}
__device__ __forceinline__ Real<float> minimum(Real<float> a, Real<float> b) {
  return Real<float>(least_number(a.value, b.value));
}
/// There is no instruction for it, and there are no NaNs.
__device__ __forceinline__ Real<double> minimum(Real<double> a, Real<double> b) {
  return Real<double>(a.value < b.value ? a.value : b.value);
}

template <class T>
__device__ __forceinline__ Real<T> shuffle_up(Real<T> value) {
  return Real<T>(__shfl_up_sync(~0u, value.value, 1));
}

template <class T>
__device__ __forceinline__ i64 reported(Real<T> value) {
  return ~__double_as_longlong(static_cast<double>(value.value));
}

}  // namespace terrace::values
