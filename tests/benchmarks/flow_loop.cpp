#include "tests/benchmarks/flow_loop.hpp"

#include <algorithm>

namespace terrace::graph {

int run_flow_loop(const FlowArrays& arrays, float* const (&u)[2], float* const (&v)[2], std::int64_t rows,
                  std::int64_t columns, std::int64_t steps, int threads) {
  for (std::int64_t step = 0; step < steps; ++step) {
    const float *from_u = u[step % 2], *from_v = v[step % 2];
    float *to_u = u[1 - step % 2], *to_v = v[1 - step % 2];
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t row = i * columns, above = std::max<std::int64_t>(i - 1, 0) * columns,
                         below = std::min(i + 1, rows - 1) * columns;
      const auto make = [&](std::int64_t j, std::int64_t left, std::int64_t right) {
        const std::int64_t at = row + j;
        const float mean_u =
            (from_u[row + left] + from_u[row + right] + from_u[below + j] + from_u[above + j]) * 0.25F;
        const float mean_v =
            (from_v[row + left] + from_v[row + right] + from_v[below + j] + from_v[above + j]) * 0.25F;
        const float share = (arrays.x[at] * mean_u + arrays.y[at] * mean_v + arrays.z[at]) / arrays.divisor[at];
        to_u[at] = mean_u - arrays.x[at] * share;
        to_v[at] = mean_v - arrays.y[at] * share;
      };
      make(0, 0, std::min<std::int64_t>(1, columns - 1));
#pragma omp simd
      for (std::int64_t j = 1; j < columns - 1; ++j) make(j, j - 1, j + 1);
      if (columns > 1) make(columns - 1, columns - 2, columns - 1);
    }
  }
  return static_cast<int>(steps % 2);
}

void run_filter_loop(const float* from, const float (&coefficients)[25], float* to, std::int64_t rows,
                     std::int64_t columns, int threads) {
  const auto clamped = [](std::int64_t at, std::int64_t extent) {
    return std::clamp<std::int64_t>(at, 0, extent - 1);
  };
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t i = 0; i < rows; ++i) {
    const float* lines[5];
    for (int a = 0; a < 5; ++a) lines[a] = from + clamped(i + a - 2, rows) * columns;
    const auto make = [&](std::int64_t j, const auto& place) {
      float sum = coefficients[0] * lines[0][place(j - 2)];
      for (int b = 1; b < 5; ++b) sum += coefficients[b] * lines[0][place(j + b - 2)];
      for (int a = 1; a < 5; ++a) {
        for (int b = 0; b < 5; ++b) sum += coefficients[5 * a + b] * lines[a][place(j + b - 2)];
      }
      to[i * columns + j] = sum;
    };
    const auto at_end = [&](std::int64_t j) { return clamped(j, columns); };
    const std::int64_t first = std::min<std::int64_t>(2, columns), last = std::max(first, columns - 2);
    for (std::int64_t j = 0; j < first; ++j) make(j, at_end);
#pragma omp simd
    for (std::int64_t j = first; j < last; ++j) make(j, [](std::int64_t inside) { return inside; });
    for (std::int64_t j = last; j < columns; ++j) make(j, at_end);
  }
}

}  // namespace terrace::graph
