// Closures as they are defined: what every other way of computing is compared with.
#pragma once

#include <cstdint>

namespace terrace::recursive {

/// x(i, j) <- x(i, j) + x(i, k) * x(k, j) of a row-major n x n matrix, for k = 0, 1, ... and all (i, j) for each.
template <class S, class T>
void close(T* x, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        x[i * n + j] = S::template plus<T>(x[i * n + j], S::template times<T>(x[i * n + k], x[k * n + j]));
      }
    }
  }
}

}  // namespace terrace::recursive
