// The descriptor of a launch that streams rows through registers.
#pragma once

#include "kernels/stencil/cuda/common/stream_rows.hpp"
#include "kernels/stencil/measured.hpp"

namespace terrace::stencil {

/// Some levels of a sum over a star or a box in two dimensions.
template <class T>
struct StreamTask : StreamRows<T, 1> {
  static constexpr i32 most_span = 2 * most_radius + 1;
  /// Row-major, of the square around the cell; 0 outside a star. Of StreamForm::separable those of a row, then those
  /// of a column.
  T coefficients[most_span * most_span];
};

}  // namespace terrace::stencil
