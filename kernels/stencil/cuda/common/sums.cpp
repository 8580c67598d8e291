#include "kernels/stencil/cuda/common/sums.hpp"

#include "kernels/stencil/separable.hpp"

namespace terrace::stencil {

using measured::StreamForm;

std::optional<StreamForm> form_of(const StencilSpec& spec) {
  if (spec.separable) return StreamForm::separable;
  if (has_shape(spec, Shape::star)) return StreamForm::star;
  if (has_shape(spec, Shape::box)) return StreamForm::box;
  return std::nullopt;
}

}  // namespace terrace::stencil
