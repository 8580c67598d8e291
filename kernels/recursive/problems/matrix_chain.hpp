// The cheapest order in which to multiply a chain of matrices.
#pragma once

#include "kernels/recursive/interval_rules.hpp"
#include "kernels/recursive/problem.hpp"

namespace terrace::recursive {

inline constexpr Parameter matrix_chain_parameters[] = {
    {"dimensions", ParameterKind::array,
     "rows of each matrix, and columns of the last one: one more number than matrices"},
};

/// m(i, j) <- min over i < k < j of m(i, k) + m(k, j) + d(i) d(k) d(j) (Godbole 1973).
struct MatrixChain {
  static constexpr const char* name = "matrix_chain";
  static constexpr const char* help = "the least number of multiplications for the product of a chain of matrices";
  static constexpr Form form = Form::intervals;
  static constexpr ParameterList parameters{matrix_chain_parameters, 1};
  using Rule = ChainRule;
};

}  // namespace terrace::recursive
