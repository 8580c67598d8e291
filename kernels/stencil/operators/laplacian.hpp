// The five-point and the seven-point Laplacian of field 0, spacing 1.
#pragma once

#include "kernels/stencil/operator.hpp"

namespace terrace::stencil {

/// The sum of the neighbours in lexicographic order but for the last one, which is below the cell along axis 0.
template <int rank, class V, class At>
TERRACE_HOST_DEVICE V neighbours_but_last(const At& at) {
  V sum = at(0, -1, 0, 0);
  if constexpr (rank == 3) sum = plus(sum, V(at(0, 0, -1, 0)));
  sum = plus(sum, V(at(0, 0, 0, -1)));
  sum = plus(sum, V(at(0, 0, 0, 1)));
  if constexpr (rank == 3) sum = plus(sum, V(at(0, 0, 1, 0)));
  return sum;
}

/// fma(-2*rank, u, sum of the neighbours). @param but_last neighbours_but_last()
template <int rank, class V, class At>
TERRACE_HOST_DEVICE V laplacian(V but_last, const At& at) {
  const V sum = plus(but_last, V(at(0, 1, 0, 0)));
  return fused(V(-2 * rank), V(at(0, 0, 0, 0)), sum);
}

}  // namespace terrace::stencil
