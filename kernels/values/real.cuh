// A floating-point value of a cell on the device. Every operation is one rounding, and none is contracted with
// another, so that cells have the same bits as on the CPU.
#pragma once

#include "kernels/values/word.cuh"

namespace terrace::values {

/// A float or double with the operations of operations.hpp; found there by argument-dependent lookup.
template <class T>
struct Real {
  T value;

  Real() = default;
  TERRACE_HOST_DEVICE explicit constexpr Real(T number) : value(number) {}

  TERRACE_HOST_DEVICE friend bool operator==(Real a, Real b) { return a.value == b.value; }
};

__device__ __forceinline__ Real<float> add(Real<float> a, Real<float> b) {
  return Real<float>(__fadd_rn(a.value, b.value));
}
__device__ __forceinline__ Real<double> add(Real<double> a, Real<double> b) {
  return Real<double>(__dadd_rn(a.value, b.value));
}
__device__ __forceinline__ Real<float> subtract(Real<float> a, Real<float> b) {
  return Real<float>(__fsub_rn(a.value, b.value));
}
__device__ __forceinline__ Real<double> subtract(Real<double> a, Real<double> b) {
  return Real<double>(__dsub_rn(a.value, b.value));
}
__device__ __forceinline__ Real<float> multiply(Real<float> a, Real<float> b) {
  return Real<float>(__fmul_rn(a.value, b.value));
}
__device__ __forceinline__ Real<double> multiply(Real<double> a, Real<double> b) {
  return Real<double>(__dmul_rn(a.value, b.value));
}
/// 2 b is exact: a multiply-add rounds as an addition does.
__device__ __forceinline__ Real<float> add_twice(Real<float> a, Real<float> b) {
  return Real<float>(__fmaf_rn(2.0f, b.value, a.value));
}
__device__ __forceinline__ Real<double> add_twice(Real<double> a, Real<double> b) {
  return Real<double>(__fma_rn(2.0, b.value, a.value));
}
__device__ __forceinline__ Real<float> absolute(Real<float> a) { return Real<float>(fabsf(a.value)); }
__device__ __forceinline__ Real<double> absolute(Real<double> a) { return Real<double>(fabs(a.value)); }
__device__ __forceinline__ Real<float> minimum(Real<float> a, Real<float> b) {
  return Real<float>(fminf(a.value, b.value));
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
  return __double_as_longlong(static_cast<double>(value.value));
}

}  // namespace terrace::values
