// Gaussian elimination.
#pragma once

#include "kernels/recursive/problem.hpp"

namespace terrace::recursive {

inline constexpr Parameter gaussian_elimination_parameters[] = {
    {"matrix", ParameterKind::array, "the square matrix"},
};

/// a(i, j) <- a(i, j) - a(i, k) / a(k, k) * a(k, j) for i > k and j > k, where the quotient stays in a(i, k).
struct GaussianElimination {
  static constexpr const char* name = "gaussian_elimination";
  static constexpr const char* help =
      "a square matrix as the product of a lower and an upper triangle (LU), without pivoting";
  static constexpr Form form = Form::elimination;
  static constexpr ParameterList parameters{gaussian_elimination_parameters, 1};
  using Semiring = MinusTimes;
};

}  // namespace terrace::recursive
