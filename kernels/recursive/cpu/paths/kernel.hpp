// Products of pairs of distances and trails for one instruction set. Included by files that define TERRACE_ISA.
#pragma once

#include "kernels/recursive/cpu/paths/paths.hpp"
#include "kernels/recursive/rules/trail.hpp"
#include "kernels/recursive/semiring.hpp"

namespace terrace::recursive::TERRACE_ISA {

/// Relaxes a row of `columns` pairs by `steps` of u and as many packed rows of v.
template <int steps, class T, class W>
void relax_row(i64 columns, T* __restrict x, W* __restrict x_trail, const T* __restrict u,
               const W* __restrict u_trail, const T* __restrict v, const W* __restrict v_trail) {
  for (i64 j = 0; j < columns; ++j) {
    T distance = x[j];
    W trail = x_trail[j];
#pragma GCC unroll 4
    for (int k = 0; k < steps; ++k) {
      const T through = static_cast<T>(u[k] + v[k * paths_columns + j]);
      const W along = static_cast<W>(u_trail[k] + v_trail[k * paths_columns + j]);
      const bool better = (through < distance) | ((through == distance) & (along < trail));
      distance = better ? through : distance;
      trail = better ? along : trail;
    }
    x[j] = distance;
    x_trail[j] = trail;
  }
}

template <class T, class W>
void relax_paths(const PathProduct<T, W>& p) {
  T left[paths_depth];
  W left_trail[paths_depth];
  for (i64 j0 = 0; j0 < p.columns; j0 += paths_columns) {
    const i64 columns = paths_columns < p.columns - j0 ? paths_columns : p.columns - j0;
    for (i64 k0 = 0; k0 < p.depth; k0 += paths_depth) {
      const i64 depth = paths_depth < p.depth - k0 ? paths_depth : p.depth - k0;
      for (i64 k = 0; k < depth; ++k) {
        for (i64 j = 0; j < columns; ++j) {
          const i64 from = (k0 + k) * p.v_stride + j0 + j;
          p.packed[k * paths_columns + j] = p.v[from];
          p.packed_trail[k * paths_columns + j] = p.v_trail[from] & static_cast<W>(~Trail<W>::next_mask);
        }
      }
      for (i64 i = 0; i < p.rows; ++i) {
        for (i64 k = 0; k < depth; ++k) {
          left[k] = p.u[i * p.u_stride + k0 + k];
          left_trail[k] = p.u_trail[i * p.u_stride + k0 + k];
        }
        T* x = p.x + i * p.x_stride + j0;
        W* x_trail = p.x_trail + i * p.x_stride + j0;
        const auto relax = [&]<int steps>(i64 k) {
          relax_row<steps>(columns, x, x_trail, left + k, left_trail + k, p.packed + k * paths_columns,
                           p.packed_trail + k * paths_columns);
        };
        i64 k = 0;
        for (; k + 4 <= depth; k += 4) {
          constexpr T none = infinity<T>();
          // There is no path through any of them.
          if (left[k] >= none && left[k + 1] >= none && left[k + 2] >= none && left[k + 3] >= none) continue;
          relax.template operator()<4>(k);
        }
        for (; k < depth; ++k) relax.template operator()<1>(k);
      }
    }
  }
}

PathKernels path_kernels() {
  return {relax_paths<float, u32>, relax_paths<i16, u32>, relax_paths<i32, u32>,    relax_paths<float, u64>,
          relax_paths<i16, u64>,   relax_paths<i32, u64>, relax_paths<double, u64>, relax_paths<i64, u64>};
}

}  // namespace terrace::recursive::TERRACE_ISA
