#include "tests/benchmarks/stencil_loop.hpp"

#include <utility>

namespace terrace::stencil {

template <class T>
T* run_loop(T* a, T* b, std::int64_t rows, std::int64_t columns, const T* coefficients, std::int64_t steps,
            int threads) {
  const T up = coefficients[0], left = coefficients[1], centre = coefficients[2], right = coefficients[3],
          down = coefficients[4];
  for (std::int64_t step = 0; step < steps; ++step) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t i = 1; i < rows - 1; ++i) {
      const T* __restrict from = a + i * columns;
      T* __restrict to = b + i * columns;
      for (std::int64_t j = 1; j < columns - 1; ++j) {
        to[j] = up * from[j - columns] + left * from[j - 1] + centre * from[j] + right * from[j + 1] +
                down * from[j + columns];
      }
    }
    std::swap(a, b);
  }
  return a;
}

template float* run_loop(float*, float*, std::int64_t, std::int64_t, const float*, std::int64_t, int);
template double* run_loop(double*, double*, std::int64_t, std::int64_t, const double*, std::int64_t, int);

}  // namespace terrace::stencil
