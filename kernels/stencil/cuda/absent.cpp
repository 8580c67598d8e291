// The CUDA side of stencils in a build without the toolkit.
#include "kernels/stencil/stencil.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::stencil {
namespace {

[[noreturn]] void refuse() {
  throw DeviceError("stencil on CUDA", "this program was built without the CUDA Toolkit");
}

}  // namespace

std::size_t stencil_cuda_bytes(const StencilSpec&, const device::Limits&) { refuse(); }
std::unique_ptr<device::BlockKernel> make_stencil_cuda(const StencilSpec&, device::Context&, void*) { refuse(); }

}  // namespace terrace::stencil
