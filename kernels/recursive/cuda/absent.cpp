// The CUDA side of updates of tiles in a build without the toolkit.
#include "kernels/recursive/blas.hpp"
#include "kernels/recursive/intervals.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::recursive {
namespace {

[[noreturn]] void refuse() {
  throw DeviceError("updates of tiles on CUDA", "this program was built without the CUDA Toolkit");
}

}  // namespace

const std::string& cuda_blas_kind() {
  static const std::string none;
  return none;
}

std::size_t tiles_cuda_bytes(const TileSpec&, std::int64_t) { refuse(); }
std::unique_ptr<device::BlockKernel> make_tiles_cuda(const TileSpec&, std::int64_t, device::Context&, void*) {
  refuse();
}
std::size_t reduction_cuda_bytes() { refuse(); }
std::unique_ptr<device::BlockKernel> make_reduction_cuda(ElementType, device::Context&, void*) { refuse(); }

std::size_t intervals_cuda_bytes(const IntervalSpec&, std::int64_t) { refuse(); }
std::unique_ptr<device::BlockKernel> make_intervals_cuda(const IntervalSpec&, std::int64_t, device::Context&, void*) {
  refuse();
}

}  // namespace terrace::recursive
