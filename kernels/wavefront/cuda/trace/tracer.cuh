// Makes the CUDA tracer of one problem. Included by the sources that the build makes from cuda/problem.cu.in.
#pragma once

#include <algorithm>
#include <string>

#include "kernels/device/cuda_context.hpp"
#include "kernels/launch/launch.cuh"
#include "kernels/wavefront/cuda/launch.cuh"
#include "kernels/wavefront/cuda/trace/kernel.cuh"
#include "kernels/wavefront/cuda/trace/tracer.hpp"
#include "kernels/wavefront/visit.hpp"

namespace terrace::wavefront {

static_assert(trace_band_rows == trace_rows_of_band && trace_step_bytes == trace_bytes_of_step &&
              sizeof(TraceSlot<TraceTask>) <= trace_slot_bytes &&
              sizeof(TraceSlot<BitTraceTask>) <= trace_slot_bytes && sizeof(TraceCodes) == trace_codes_bytes);

/// @tparam V the kernel's type of cells @tparam Task the descriptor's type
template <class P, class V, class Task>
class CudaTracer final : public device::BlockKernel {
 public:
  using Constants = typename P::template Constants<i64>;

  CudaTracer(const TraceSpec& spec, device::Context& context, void* workspace, const CudaTrial& trial)
      : kernel_(device::make_kernel(trace_kernel<P, V, Task>, "trace_kernel")),
        plan_(plan_trace(spec)),
        context_(context),
        workspace_(static_cast<unsigned char*>(workspace)),
        trial_(trial),
        constants_(problem_constants<P>(spec.settings)) {
    const cudaStream_t stream = device::compute_stream(context);
    TERRACE_CUDA_CHECK(cudaMemsetAsync(workspace_ + plan_.known_at, 0, plan_.codes_at - plan_.known_at, stream));
    const unsigned resident = device::resident_blocks(kernel_, 32, sizeof(TraceMemory<P, V, Task>));
    blocks_ = static_cast<unsigned>(std::min<std::int64_t>(resident, plan_.tickets));
    if (trial.thread_blocks > 0) blocks_ = std::min(blocks_, trial.thread_blocks);
    arguments_.slot = reinterpret_cast<TraceSlot<Task>*>(workspace_ + plan_.slot_at);
    arguments_.rows = reinterpret_cast<u64*>(workspace_ + plan_.rows_at);
    arguments_.row_words = plan_.row_words;
    arguments_.known = reinterpret_cast<TraceCodes*>(workspace_ + plan_.known_at);
    arguments_.codes = reinterpret_cast<u16*>(workspace_ + plan_.codes_at);
    arguments_.band_steps = plan_.band_steps;
    arguments_.bands = static_cast<u32>(plan_.bands);
    arguments_.buffers = static_cast<u32>(spec.pieces);
    arguments_.border = stored(spec.border);
    if constexpr (by_matrix<P>) arguments_.matrix = *constants_.matrix;
  }

  void run(const device::Port& port) override {
    if (port.descriptor_bytes < sizeof(Task) || port.descriptor_bytes % sizeof(u64) != 0 ||
        port.result_bytes < sizeof(TraceResult) || port.result_bytes % sizeof(u64) != 0) {
      throw DeviceError(kernel_.name, "the port's descriptors or results are not those of a walk");
    }
    if (port.count > 0xFFFFFFFEu / static_cast<u64>(plan_.tickets)) {
      throw DeviceError(kernel_.name, std::to_string(port.count) + " blocks are too many for one launch");
    }
    const cudaStream_t stream = device::compute_stream(context_);
    TERRACE_CUDA_CHECK(cudaMemsetAsync(workspace_, 0, plan_.known_at, stream));
    arguments_.launch = {port, reinterpret_cast<device::LaunchWords*>(workspace_), 1, trial_.delay_seed};
    device::launch(
        kernel_,
        {.blocks = blocks_, .threads = 32, .shared_bytes = sizeof(TraceMemory<P, V, Task>), .stream = stream},
        arguments_, constants_);
  }

 private:
  device::Kernel<TraceArguments<Task>, Constants> kernel_;
  CudaTraceWorkspace plan_;
  device::Context& context_;
  unsigned char* workspace_;
  CudaTrial trial_;
  Constants constants_;
  unsigned blocks_ = 0;
  TraceArguments<Task> arguments_{};
};

/// True if paths are followed in 64 bits for any type of scores: the code of CUDA 13.0 for an H200 that compares
/// max(a - b, c, 0) with c in 32 bits (`max.s32.relu`) finds differences if there are none. With one plane the row
/// between bands has room for it.
template <class P>
inline constexpr bool follows_wide = is_local<P>&& P::row_planes == 1;

template <class P>
std::unique_ptr<device::BlockKernel> CudaTracers<P>::make(const TraceSpec& spec, device::Context& context,
                                                          void* workspace, const CudaTrial& trial) {
  const auto make_of = [&]<class V>(V) -> std::unique_ptr<device::BlockKernel> {
    return std::make_unique<CudaTracer<P, V, TraceTask>>(spec, context, workspace, trial);
  };
  if constexpr (Traceable<P> && P::items == Items::letters) {
    const bool narrow = spec.value == ElementType::i32 || spec.value == ElementType::i16;
    if constexpr (follows_wide<P>) {
      if (narrow || spec.value == ElementType::i64) return make_of(i64{});
    } else {
      if (narrow) return make_of(Word{});
      if (spec.value == ElementType::i64) return make_of(i64{});
    }
  } else if constexpr (Traceable<P>) {
    if (spec.value == ElementType::f32) return make_of(Real<float>{});
    if (spec.value == ElementType::f64) return make_of(Real<double>{});
  }
  throw DeviceError("make_cuda_tracer",
                    "paths of " + spec.problem + " in " + std::string(name_of(spec.value)) + " cannot be followed");
}

/// H of a piece, which counts from its corner, fits 32 bits.
template <class P>
std::unique_ptr<device::BlockKernel> CudaTracers<P>::make_bits(const TraceSpec& spec, device::Context& context,
                                                               void* workspace, const CudaTrial& trial) {
  if constexpr (requires { typename P::Bits; }) {
    return std::make_unique<CudaTracer<P, Word, BitTraceTask>>(spec, context, workspace, trial);
  }
  return nullptr;
}

}  // namespace terrace::wavefront
