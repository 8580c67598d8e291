// In-place sweeps as they are defined, cell by cell: tests compare every other sweep with them.
#pragma once

#include <cstdint>

#include "kernels/in_place/problem.hpp"

namespace terrace::in_place {

/// Sweeps the row-major grid of rows x columns cells `sweeps` times.
template <class P, class T>
void sweep_in_place(const typename P::template Constants<T>& k, T* grid, std::int64_t rows, std::int64_t columns,
                    std::int64_t sweeps) {
  for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) {
    for (std::int64_t i = 1; i + 1 < rows; ++i) {
      for (std::int64_t j = 1; j + 1 < columns; ++j) {
        T* at = grid + i * columns + j;
        const T *up = at - columns, *down = at + columns;
        *at = cell_of_values<P, T>(k, {up[-1], up[0], up[1], at[-1], at[0], at[1], down[-1], down[0], down[1]});
      }
    }
  }
}

}  // namespace terrace::in_place
