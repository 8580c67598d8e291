// Launches the kernels of in-place sweeps on CUDA.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "kernels/compiled/module.hpp"
#include "kernels/device/cuda_context.hpp"
#include "kernels/in_place/cuda/kernel.cuh"
#include "kernels/in_place/cuda/sweep.hpp"
#include "kernels/launch/launch.cuh"

namespace terrace::in_place {

static_assert(sizeof(device::LaunchWords) <= 1024 && sizeof(InPlaceSlot) == 128);

/// The kernels of a problem P, a type T of cells, and few sweeps a pass or many (kernel.cuh).
template <class Constants>
struct InPlaceCudaKernels {
  device::Kernel<InPlaceArguments, Constants> sweep;
  device::Kernel<InPlaceArguments> leave, report;
  std::size_t warp_bytes;                           // of shared memory: sizeof(InPlaceMemory<...>)
  Constants constants;                              // of the sweep
  std::shared_ptr<const compiled::Module> modules;  // that has them; null: the program has them
};

template <class Constants>
class InPlaceLaunches final : public device::BlockKernel {
 public:
  InPlaceLaunches(const InPlaceSpec& spec, device::Context& context, void* workspace, const InPlaceTrial& trial,
                  InPlaceCudaKernels<Constants> kernels)
      : kernels_(std::move(kernels)),
        plan_(plan_in_place(spec, in_place_shape(spec, trial))),
        context_(context),
        workspace_(static_cast<unsigned char*>(workspace)),
        trial_(trial),
        warps_(warps_of_block(context.limits().block_shared_bytes)) {
    TERRACE_CUDA_CHECK(cudaMemsetAsync(workspace_, 0, plan_.bytes, device::compute_stream(context)));
    resident_ = device::resident_blocks(kernels_.sweep, threads(), shared_bytes());
    // No code may be loaded while the first one runs.
    device::resident_blocks(kernels_.leave, leave_threads, 0);
    device::resident_blocks(kernels_.report, 1, 0);
    arguments_.slots = reinterpret_cast<InPlaceSlot*>(workspace_ + plan_.slots_at);
    arguments_.progress = reinterpret_cast<u64*>(workspace_ + plan_.progress_at);
    arguments_.states = reinterpret_cast<u64*>(workspace_ + plan_.states_at);
    arguments_.group_words = plan_.group_words;
    arguments_.unused_row = workspace_ + plan_.unused_row_at;
    arguments_.rows = spec.rows;
    arguments_.columns = spec.columns;
    arguments_.slab_rows = spec.slab_rows;
    arguments_.pass_sweeps = spec.pass_sweeps;
    arguments_.slab_tickets = static_cast<u32>(plan_.tickets);
    arguments_.groups = static_cast<u32>(plan_.groups);
    arguments_.group_bands = static_cast<u32>(plan_.group_bands);
    arguments_.processors = static_cast<u32>(context.limits().processors);
  }

  void run(const device::Port& port) override {
    check(port);
    InPlaceArguments arguments = arguments_;
    arguments.launch = {port, reinterpret_cast<device::LaunchWords*>(workspace_), static_cast<u64>(plan_.slots),
                        trial_.delay_seed};
    arguments.tickets = port.count * arguments.slab_tickets;
    if (arguments.tickets == 0) return;
    const cudaStream_t stream = device::compute_stream(context_);
    TERRACE_CUDA_CHECK(cudaMemsetAsync(workspace_, 0, plan_.bytes, stream));
    // Each multiprocessor gets one warp before any gets two.
    const u64 wanted = std::max<u64>((arguments.tickets + warps_ - 1) / warps_,
                                     std::min<u64>(arguments.tickets, arguments.processors));
    unsigned blocks = static_cast<unsigned>(std::min<u64>(resident_, wanted));
    if (trial_.thread_blocks > 0) blocks = std::min(blocks, trial_.thread_blocks);
    device::launch(kernels_.sweep,
                   {.blocks = blocks, .threads = threads(), .shared_bytes = shared_bytes(), .stream = stream},
                   arguments, kernels_.constants);
    const auto parts = static_cast<unsigned>(std::clamp<i64>(arguments.columns / leave_threads, 1, most_leave_parts));
    device::launch(
        kernels_.leave,
        {.blocks = parts * arguments.groups, .threads = leave_threads, .shared_bytes = 0, .stream = stream},
        arguments);
    device::launch(kernels_.report, {.blocks = 1, .threads = 1, .shared_bytes = 0, .stream = stream}, arguments);
  }

 private:
  static constexpr unsigned leave_threads = 256, most_leave_parts = 64;  // threads of a block, blocks of a group

  /// Warps of a thread block: in_place_warps, or fewer if its shared memory holds fewer; at least one.
  unsigned warps_of_block(std::size_t most_shared_bytes) const {
    return static_cast<unsigned>(std::clamp<std::size_t>(most_shared_bytes / kernels_.warp_bytes, 1, in_place_warps));
  }
  unsigned threads() const { return 32 * warps_; }
  std::size_t shared_bytes() const { return warps_ * kernels_.warp_bytes; }

  void check(const device::Port& port) const {
    if (port.descriptor_bytes < sizeof(InPlaceTask) || port.descriptor_bytes % sizeof(u64) != 0 ||
        port.result_bytes < sizeof(InPlaceResult) || port.result_bytes % sizeof(u64) != 0) {
      throw DeviceError(kernels_.sweep.name, "the port's descriptors or results are not those of an in-place sweep");
    }
    if (port.count > 0xFFFFFFFEu / arguments_.slab_tickets) {
      throw DeviceError(kernels_.sweep.name, std::to_string(port.count) + " slabs are too many for one launch");
    }
  }

  InPlaceCudaKernels<Constants> kernels_;
  InPlaceWorkspace plan_;
  device::Context& context_;
  unsigned char* workspace_;
  InPlaceTrial trial_;
  unsigned warps_;  // of a thread block
  unsigned resident_ = 0;
  InPlaceArguments arguments_{};
};

}  // namespace terrace::in_place
