// The loop that stencils on the CPU are compared with.
#pragma once

#include <cstdint>

namespace terrace::stencil {

/// Makes `steps` steps of the five-point sum with these coefficients (up, left, centre, right, down) in a grid whose
/// rim is fixed: two arrays and an OpenMP loop over rows, as one would write it. @return the array with the result
template <class T>
T* run_loop(T* a, T* b, std::int64_t rows, std::int64_t columns, const T* coefficients, std::int64_t steps,
            int threads);

extern template float* run_loop(float*, float*, std::int64_t, std::int64_t, const float*, std::int64_t, int);
extern template double* run_loop(double*, double*, std::int64_t, std::int64_t, const double*, std::int64_t, int);

}  // namespace terrace::stencil
