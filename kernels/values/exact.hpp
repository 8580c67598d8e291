// Arithmetic of signed whole numbers that is exact or fails: each operation is false if its result is beyond the
// type.
#pragma once

namespace terrace::values {

template <class T>
constexpr bool exact_sum(T a, T b, T& sum) {
  return !__builtin_add_overflow(a, b, &sum);
}
template <class T>
constexpr bool exact_difference(T a, T b, T& difference) {
  return !__builtin_sub_overflow(a, b, &difference);
}
template <class T>
constexpr bool exact_product(T a, T b, T& product) {
  return !__builtin_mul_overflow(a, b, &product);
}
template <class T>
constexpr bool exact_negative(T a, T& negative) {
  return exact_difference(T(0), a, negative);
}
template <class T>
constexpr bool exact_magnitude(T a, T& magnitude) {
  magnitude = a;
  return a >= 0 || exact_negative(a, magnitude);
}
/// The quotient without its fraction. @param b not 0
template <class T>
constexpr bool exact_quotient(T a, T b, T& quotient) {
  if (b == -1) return exact_negative(a, quotient);
  quotient = a / b;
  return true;
}
/// The rest of that division; it is never beyond the type. @param b not 0
template <class T>
constexpr T exact_rest(T a, T b) {
  return b == -1 ? 0 : a % b;  // of the least number by -1 it is 0, though the quotient is beyond the type
}

}  // namespace terrace::values
