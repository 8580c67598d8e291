// Boxes in two dimensions whose coefficients are products of a number a row and a number a column.
#pragma once

#include <optional>
#include <vector>

#include "kernels/stencil/operators.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

/// True if the terms of a sum are those of a shape, in its order, with numbers as coefficients.
bool has_shape(const StencilSpec& spec, Shape shape);

/// By how much a coefficient may differ from its product, in units of the roundoff of the cells (2^-24 in f32, 2^-53
/// in f64) times the coefficient: rounding the values of a Gaussian, and dividing them by their sum, takes less.
inline constexpr double separable_roundoffs = 16;

/// The coefficients of a row, then those of a column, as terms of SeparableSum, whose products are the coefficients
/// of a sum over a box in two dimensions (separable_roundoffs); nullopt for other stencils, and if a coefficient
/// would be no normal number of the cells' type.
std::optional<std::vector<Term<double>>> separated(const StencilSpec& spec);

/// Bounds by how much a cell differs, after some steps in the type of the cells, from the same steps in real numbers:
/// steps * C^steps * k * u * M, to first order in u, the unit roundoff. C is the sum of the absolute coefficients, at
/// least 1; M the largest absolute value that a cell, a face or the source has in any step. A sum of n terms has
/// k = n + 2: n roundings, one of its coefficients, one of a source. A separable sum of radius r has
/// k = 4 r + 6 + separable_roundoffs: 2 r + 1 roundings each along rows and columns, two of its coefficients, one of
/// their product, one of a source, and what a product may differ.
double error_bound(const StencilSpec& spec, double steps, double largest);

}  // namespace terrace::stencil
