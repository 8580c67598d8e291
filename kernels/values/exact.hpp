// Arithmetic of whole numbers of 64 bits that is exact or fails: each operation is false if its result is beyond the
// type, and then gives it wrapped. For the host, for devices and for code that is compiled at run time.
#pragma once

#include "kernels/device/host_device.hpp"

namespace terrace::values {

/// T, where it is not deduced: the result alone says which type of 64 bits computes.
template <class T>
struct ExactOperand {
  static_assert(sizeof(T) == 8 && T(-1) < T(0));
  using Type = T;
};
template <class T>
using Exact = typename ExactOperand<T>::Type;

template <class T>
TERRACE_HOST_DEVICE constexpr bool exact_sum(Exact<T> a, Exact<T> b, T& sum) {
#if defined(__CUDA_ARCH__)
  sum = static_cast<T>(static_cast<unsigned long long>(a) + static_cast<unsigned long long>(b));
  return ((a ^ sum) & (b ^ sum)) >= 0;
#else
  return !__builtin_add_overflow(a, b, &sum);
#endif
}
template <class T>
TERRACE_HOST_DEVICE constexpr bool exact_difference(Exact<T> a, Exact<T> b, T& difference) {
#if defined(__CUDA_ARCH__)
  difference = static_cast<T>(static_cast<unsigned long long>(a) - static_cast<unsigned long long>(b));
  return ((a ^ b) & (a ^ difference)) >= 0;
#else
  return !__builtin_sub_overflow(a, b, &difference);
#endif
}
template <class T>
TERRACE_HOST_DEVICE constexpr bool exact_negative(Exact<T> a, T& negative) {
  return exact_difference(T(0), a, negative);
}
template <class T>
TERRACE_HOST_DEVICE constexpr bool exact_magnitude(Exact<T> a, T& magnitude) {
  magnitude = a;
  return a >= 0 || exact_negative(a, magnitude);
}
template <class T>
TERRACE_HOST_DEVICE constexpr bool exact_product(Exact<T> a, Exact<T> b, T& product) {
#if defined(__CUDA_ARCH__)
  product = static_cast<T>(static_cast<unsigned long long>(a) * static_cast<unsigned long long>(b));
  if (b == -1) return a == 0 || a != product;  // the least number is its own negative
  return b == 0 || product / b == a;
#else
  return !__builtin_mul_overflow(a, b, &product);
#endif
}
/// The quotient without its fraction; 0 if b is 0.
template <class T>
TERRACE_HOST_DEVICE constexpr bool exact_quotient(Exact<T> a, Exact<T> b, T& quotient) {
  quotient = 0;
  if (b == -1) return exact_negative(a, quotient);
  if (b != 0) quotient = a / b;
  return true;
}
/// The rest of that division, which is never beyond the type; 0 if b is 0.
template <class T>
TERRACE_HOST_DEVICE constexpr T exact_rest(T a, Exact<T> b) {
  return b == 0 || b == -1 ? 0 : a % b;  // of the least number by -1 it is 0, though the quotient is beyond the type
}

}  // namespace terrace::values
