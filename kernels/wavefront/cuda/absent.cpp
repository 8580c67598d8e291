// Walks of a build without the CUDA Toolkit, and the methods of sweeps that it does not have.
#include "kernels/wavefront/methods.hpp"
#include "kernels/wavefront/tracer.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::wavefront {
namespace {

[[noreturn]] void refuse() { throw DeviceError("walk on CUDA", "this program was built without the CUDA Toolkit"); }

}  // namespace

std::span<const SweepMethod> wavefront_cuda_methods() { return {}; }
std::size_t cuda_trace_bytes(const TraceSpec&) { refuse(); }
std::unique_ptr<device::BlockKernel> make_cuda_tracer(const TraceSpec&, device::Context&, void*) { refuse(); }
std::unique_ptr<device::BlockKernel> make_cuda_bit_tracer(const TraceSpec&, device::Context&, void*) { refuse(); }

}  // namespace terrace::wavefront
