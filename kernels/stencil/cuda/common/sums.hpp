// Sums in two dimensions whose coefficients are numbers.
#pragma once

#include <cstddef>
#include <optional>

#include "kernels/stencil/measured.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

/// The form of a sum, if kernels of partial sums or of large boxes compute it: with numbers as coefficients.
std::optional<measured::StreamForm> form_of(const StencilSpec& spec);

/// Puts the coefficients of a sum into rows. @param row values from one row to the next
template <class T>
void put_coefficients(const StencilSpec& spec, int row, T* coefficients) {
  for (const Term<double>& term : spec.terms) {
    coefficients[(term.offset[0] + spec.radius) * row + term.offset[2] + spec.radius] =
        static_cast<T>(term.coefficient);
  }
}

}  // namespace terrace::stencil
