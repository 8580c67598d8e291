#include "kernels/stencil/stencil.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::stencil {

void check_stencil(const StencilSpec& spec) {
  if (spec.value != ElementType::f32 && spec.value != ElementType::f64) {
    throw DeviceError("stencil", "grids are of f32 or f64");
  }
  if (spec.arrays > most_arrays) {
    throw DeviceError("stencil", "at most " + std::to_string(most_arrays) + " arrays can be given, not " +
                                     std::to_string(spec.arrays));
  }
  if (spec.radius < 0 || spec.radius > most_radius) {
    throw DeviceError(
        "stencil", "the radius is at most " + std::to_string(most_radius) + ", not " + std::to_string(spec.radius));
  }
}

}  // namespace terrace::stencil
