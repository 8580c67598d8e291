// Launches of the kernels of sweeps by bands.
#pragma once

#include <tuple>

#include "kernels/wavefront/cuda/bands/kernel.cuh"
#include "kernels/wavefront/cuda/launch.cuh"

namespace terrace::wavefront {

/// Shape of a thread block: its threads, and the warps among them that take bands.
struct BlockShape {
  int threads, sweepers;
};
/// All warps take bands.
constexpr BlockShape all_sweep(int threads) { return {threads, threads / 32}; }

/// A sweep through one kernel. @tparam More arguments of the kernel in addition to SweepArguments
template <class... More>
class CudaSweep final : public device::BlockKernel {
 public:
  using Kernel = device::Kernel<SweepArguments, More...>;

  /// @param warp_bytes of shared memory, of a warp that takes bands
  CudaSweep(const SweepSpec& spec, const Kernel& kernel, const CudaWorkspace& plan, BlockShape shape,
            std::size_t warp_bytes, bool check, device::Context& context, void* workspace, const CudaTrial& trial,
            const More&... more)
      : kernel_(kernel),
        plan_(plan),
        shape_(shape),
        shared_bytes_(warp_bytes * static_cast<std::size_t>(shape.sweepers)),
        context_(context),
        workspace_(static_cast<unsigned char*>(workspace)),
        trial_(trial),
        known_(static_cast<u64>(spec.known)),
        more_(more...) {
    TERRACE_CUDA_CHECK(cudaMemsetAsync(workspace_, 0, plan_.bytes, device::compute_stream(context)));
    resident_ = device::resident_blocks(kernel_, shape_.threads, shared_bytes_);
    arguments_ = sweep_arguments(spec, plan_, workspace_, check);
    arguments_.processors = static_cast<u32>(context.limits().processors);
  }

  void run(const device::Port& port) override {
    SweepArguments arguments = arguments_;
    check_port(port, arguments.bands, kernel_.name, keeps_lines(arguments));
    arguments.launch = {port, reinterpret_cast<device::LaunchWords*>(workspace_), static_cast<u64>(plan_.slots),
                        trial_.delay_seed};
    arguments.tickets = port.count * arguments.bands;
    if (arguments.tickets == 0) return;
    const cudaStream_t stream = device::compute_stream(context_);
    TERRACE_CUDA_CHECK(cudaMemsetAsync(workspace_, 0, plan_.bytes, stream));
    TERRACE_CUDA_CHECK(
        cudaMemcpyAsync(&arguments.slots->known, &known_, sizeof known_, cudaMemcpyHostToDevice, stream));
    const auto warps = static_cast<u64>(shape_.sweepers);
    const u64 wanted = (arguments.tickets + warps - 1) / warps;
    unsigned blocks = static_cast<unsigned>(std::min<u64>(resident_, wanted));
    if (trial_.thread_blocks > 0) blocks = std::min(blocks, trial_.thread_blocks);
    std::apply(
        [&](const More&... more) {
          device::launch(kernel_,
                         {.blocks = blocks,
                          .threads = static_cast<unsigned>(shape_.threads),
                          .shared_bytes = shared_bytes_,
                          .stream = stream},
                         arguments, more...);
        },
        more_);
  }

 private:
  Kernel kernel_;
  CudaWorkspace plan_;
  BlockShape shape_;
  std::size_t shared_bytes_;
  device::Context& context_;
  unsigned char* workspace_;
  CudaTrial trial_;
  u64 known_;  // a score that some cell reaches
  std::tuple<More...> more_;
  unsigned resident_ = 0;
  SweepArguments arguments_{};
};

}  // namespace terrace::wavefront
