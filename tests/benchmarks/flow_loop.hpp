// The loops that graphs on the CPU are compared with.
#pragma once

#include <cstdint>

namespace terrace::graph {

/// The arrays of an iteration of Horn and Schunck: derivatives, and what is divided by.
struct FlowArrays {
  const float *x, *y, *z, *divisor;
};

/// Makes `steps` steps of u and v, two arrays each, by an OpenMP loop over rows, as one would write it. Neighbours
/// are clamped. @return 0 or 1: which of the two has the result
int run_flow_loop(const FlowArrays& arrays, float* const (&u)[2], float* const (&v)[2], std::int64_t rows,
                  std::int64_t columns, std::int64_t steps, int threads);

/// Sums of 5 x 5 cells times coefficients, from the top left on, by such a loop. Neighbours are clamped.
void run_filter_loop(const float* from, const float (&coefficients)[25], float* to, std::int64_t rows,
                     std::int64_t columns, int threads);

}  // namespace terrace::graph
