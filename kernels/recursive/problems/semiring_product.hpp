// The product of two matrices in a semiring.
#pragma once

#include "kernels/recursive/problem.hpp"

namespace terrace::recursive {

inline constexpr Parameter semiring_product_parameters[] = {
    {"left", ParameterKind::array, "the matrix on the left"},
    {"right", ParameterKind::array, "the matrix on the right, with as many rows as the left one has columns"},
    {"accumulate", ParameterKind::array, "a matrix that the product is added to", ""},
    {"semiring", ParameterKind::choice, "what takes the place of sum and product", "plus_times",
     "plus_times, min_plus, max_plus, max_min, or_and, count, max_times"},
};

/// c(i, j) <- c(i, j) + sum over k of a(i, k) * b(k, j).
struct SemiringProduct {
  static constexpr const char* name = "semiring_product";
  static constexpr const char* help = "the product of two matrices, also with other operations than sum and product";
  static constexpr Form form = Form::product;
  static constexpr ParameterList parameters{semiring_product_parameters, 4};
};

}  // namespace terrace::recursive
