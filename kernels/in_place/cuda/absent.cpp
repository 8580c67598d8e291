// The CUDA side of in-place sweeps in a build without the toolkit.
#include "kernels/in_place/sweep.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::in_place {
namespace {

[[noreturn]] void refuse() {
  throw DeviceError("in-place sweep on CUDA", "this program was built without the CUDA Toolkit");
}

}  // namespace

std::size_t in_place_cuda_bytes(const InPlaceSpec&, const device::Limits&) { refuse(); }
std::unique_ptr<device::BlockKernel> make_in_place_cuda(const InPlaceSpec&, device::Context&, void*) { refuse(); }

}  // namespace terrace::in_place
