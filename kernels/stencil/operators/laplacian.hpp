// The five-point and the seven-point Laplacian of field 0, spacing 1.
#pragma once

#include "kernels/stencil/operator.hpp"

namespace terrace::stencil {

/// fma(-2*rank, u, sum of the neighbours in lexicographic order).
template <int rank, class V, class T, class At>
TERRACE_HOST_DEVICE V laplacian(const At& at) {
  V sum = at(0, -1, 0, 0);
  if constexpr (rank == 3) sum = plus(sum, V(at(0, 0, -1, 0)));
  sum = plus(sum, V(at(0, 0, 0, -1)));
  sum = plus(sum, V(at(0, 0, 0, 1)));
  if constexpr (rank == 3) sum = plus(sum, V(at(0, 0, 1, 0)));
  sum = plus(sum, V(at(0, 1, 0, 0)));
  return fused(V(T(-2 * rank)), V(at(0, 0, 0, 0)), sum);
}

}  // namespace terrace::stencil
