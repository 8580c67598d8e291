// Stencils in a program without CUDA.
#include "kernels/stencil/methods.hpp"

namespace terrace::stencil {

double cuda_lost_rows(const StencilMethod&, const StencilSpec&, const device::Limits&) { return 0; }

}  // namespace terrace::stencil
