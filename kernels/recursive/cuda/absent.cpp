// A build without the CUDA Toolkit: totals of rows cannot be computed on CUDA, there is no cuBLAS, and no method.
#include "kernels/recursive/blas.hpp"
#include "kernels/recursive/methods.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::recursive {
namespace {

[[noreturn]] void refuse() { throw DeviceError("totals on CUDA", "this program was built without the CUDA Toolkit"); }

}  // namespace

const std::string& cuda_blas_kind() {
  static const std::string none;
  return none;
}

std::span<const UpdateMethod> update_cuda_methods() { return {}; }
std::span<const TriangleMethod> triangle_cuda_methods() { return {}; }
std::size_t reduction_cuda_bytes() { refuse(); }
std::unique_ptr<device::BlockKernel> make_reduction_cuda(ElementType, device::Context&, void*) { refuse(); }

}  // namespace terrace::recursive
