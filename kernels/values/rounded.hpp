// Arithmetic of f32 and f64 in which every operation is rounded once, to its type, and none is contracted with
// another: the same bits on every back end. Packs bring overloads of the same names.
#pragma once

#include "kernels/device/host_device.hpp"

namespace terrace::values {

TERRACE_HOST_DEVICE constexpr float plus(float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}
TERRACE_HOST_DEVICE constexpr double plus(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}
TERRACE_HOST_DEVICE constexpr float minus(float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fsub_rn(a, b);
#else
  return a - b;
#endif
}
TERRACE_HOST_DEVICE constexpr double minus(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dsub_rn(a, b);
#else
  return a - b;
#endif
}
TERRACE_HOST_DEVICE constexpr float times(float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}
TERRACE_HOST_DEVICE constexpr double times(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}
TERRACE_HOST_DEVICE constexpr float divided(float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fdiv_rn(a, b);
#else
  return a / b;
#endif
}
TERRACE_HOST_DEVICE constexpr double divided(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __ddiv_rn(a, b);
#else
  return a / b;
#endif
}
/// a * b + c with one rounding.
TERRACE_HOST_DEVICE float fused(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  return __fmaf_rn(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}
TERRACE_HOST_DEVICE double fused(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
  return __fma_rn(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}
TERRACE_HOST_DEVICE float square_root(float a) {
#if defined(__CUDA_ARCH__)
  return __fsqrt_rn(a);
#else
  return __builtin_sqrtf(a);
#endif
}
TERRACE_HOST_DEVICE double square_root(double a) {
#if defined(__CUDA_ARCH__)
  return __dsqrt_rn(a);
#else
  return __builtin_sqrt(a);
#endif
}
/// The value without its sign.
TERRACE_HOST_DEVICE float magnitude(float a) {
#if defined(__CUDA_ARCH__)
  return fabsf(a);
#else
  return __builtin_fabsf(a);
#endif
}
TERRACE_HOST_DEVICE double magnitude(double a) {
#if defined(__CUDA_ARCH__)
  return fabs(a);
#else
  return __builtin_fabs(a);
#endif
}

/// b < a ? b : a; what that is of NaN and of zeros of both signs.
template <class T>
TERRACE_HOST_DEVICE constexpr T smaller(T a, T b) {
  return b < a ? b : a;
}
/// a < b ? b : a.
template <class T>
TERRACE_HOST_DEVICE constexpr T larger(T a, T b) {
  return a < b ? b : a;
}

/// The lesser and the larger of two numbers, by the instruction of the device: of a number and a NaN the number. Of
/// zeros of both signs either one.
TERRACE_HOST_DEVICE float least_number(float a, float b) {
#if defined(__CUDA_ARCH__)
  return fminf(a, b);
#else
  return __builtin_fminf(a, b);
#endif
}
TERRACE_HOST_DEVICE double least_number(double a, double b) {
#if defined(__CUDA_ARCH__)
  return fmin(a, b);
#else
  return __builtin_fmin(a, b);
#endif
}
TERRACE_HOST_DEVICE float largest_number(float a, float b) {
#if defined(__CUDA_ARCH__)
  return fmaxf(a, b);
#else
  return __builtin_fmaxf(a, b);
#endif
}
TERRACE_HOST_DEVICE double largest_number(double a, double b) {
#if defined(__CUDA_ARCH__)
  return fmax(a, b);
#else
  return __builtin_fmax(a, b);
#endif
}

/// A value of f32 or f64 by its bits.
TERRACE_HOST_DEVICE float float_of(unsigned bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  return __builtin_bit_cast(float, bits);
#endif
}
TERRACE_HOST_DEVICE double double_of(unsigned long long bits) {
#if defined(__CUDA_ARCH__)
  return __longlong_as_double(static_cast<long long>(bits));
#else
  return __builtin_bit_cast(double, bits);
#endif
}

}  // namespace terrace::values
