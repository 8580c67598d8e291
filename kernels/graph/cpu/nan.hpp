// Rows of values that may have a NaN.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/device/integers.hpp"

namespace terrace::graph {

using device::i64;

/// A word as wide as a value: so the compiler makes vectors of what is found in many of them.
template <class T>
using WordOf = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

template <class T>
bool has_nan(const T* row, i64 columns) {
  WordOf<T> found = 0;
  for (i64 j = 0; j < columns; ++j) found |= static_cast<WordOf<T>>(row[j] != row[j]);
  return found != 0;
}

/// Copies values. @return has_nan() of them
template <class T>
bool copy_looking_for_nan(const T* __restrict from, i64 count, T* __restrict to) {
  WordOf<T> found = 0;
  for (i64 j = 0; j < count; ++j) {
    to[j] = from[j];
    found |= static_cast<WordOf<T>>(from[j] != from[j]);
  }
  return found != 0;
}

}  // namespace terrace::graph
