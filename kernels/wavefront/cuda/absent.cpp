// The CUDA side of sweeps in a build without the toolkit.
#include "kernels/wavefront/cuda/sweep.hpp"
#include "kernels/wavefront/cuda/trace/tracer.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::wavefront {
namespace {

[[noreturn]] void refuse() {
  throw DeviceError("wavefront sweep on CUDA", "this program was built without the CUDA Toolkit");
}

}  // namespace

std::size_t cuda_workspace_bytes(const SweepSpec&, const device::Limits&) { refuse(); }
std::size_t cuda_workspace_bytes(const SweepSpec&, const device::Limits&, const CudaTrial&) { refuse(); }
std::unique_ptr<device::BlockKernel> make_cuda_sweep(const SweepSpec&, device::Context&, void*) { refuse(); }
std::unique_ptr<device::BlockKernel> make_cuda_sweep(const SweepSpec&, device::Context&, void*, const CudaTrial&) {
  refuse();
}
std::size_t cuda_trace_bytes(const TraceSpec&) { refuse(); }
std::unique_ptr<device::BlockKernel> make_cuda_tracer(const TraceSpec&, device::Context&, void*) { refuse(); }
std::unique_ptr<device::BlockKernel> make_cuda_tracer(const TraceSpec&, device::Context&, void*, const CudaTrial&) {
  refuse();
}
std::unique_ptr<device::BlockKernel> make_cuda_bit_tracer(const TraceSpec&, device::Context&, void*) { refuse(); }
std::unique_ptr<device::BlockKernel> make_cuda_bit_tracer(const TraceSpec&, device::Context&, void*,
                                                          const CudaTrial&) {
  refuse();
}

}  // namespace terrace::wavefront
