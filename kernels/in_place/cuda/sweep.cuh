// Makes the CUDA sweeps of one in-place problem. Included by the sources that the build makes from
// cuda/problem.cu.in, one a problem.
#pragma once

#include <algorithm>
#include <string>

#include "kernels/device/cuda_context.hpp"
#include "kernels/in_place/cuda/kernel.cuh"
#include "kernels/in_place/cuda/sweep.hpp"
#include "kernels/in_place/problem_list.hpp"
#include "kernels/launch/launch.cuh"

namespace terrace::in_place {

static_assert(sizeof(device::LaunchWords) <= 1024 && sizeof(InPlaceSlot) == 128);

template <class P, class T, bool few>
class InPlaceCudaSweep final : public device::BlockKernel {
 public:
  using Constants = typename P::template Constants<T>;

  InPlaceCudaSweep(const InPlaceSpec& spec, device::Context& context, void* workspace, const InPlaceTrial& trial)
      : kernel_(device::make_kernel(sweep_in_place_kernel<P, T, few>, "sweep_in_place_kernel")),
        leave_(device::make_kernel(leave_rows_kernel<P, T, few>, "leave_rows_kernel")),
        report_(device::make_kernel(report_last_slab_kernel<P>, "report_last_slab_kernel")),
        plan_(plan_in_place(spec, in_place_shape(spec, trial))),
        context_(context),
        workspace_(static_cast<unsigned char*>(workspace)),
        trial_(trial),
        warps_(warps_of_block(context.limits().block_shared_bytes)),
        constants_(P::template constants_as<T>(P::constants(spec.settings))) {
    TERRACE_CUDA_CHECK(cudaMemsetAsync(workspace_, 0, plan_.bytes, device::compute_stream(context)));
    resident_ = device::resident_blocks(kernel_, threads(), shared_bytes());
    // No code may be loaded while the first one runs.
    device::resident_blocks(leave_, leave_threads, 0);
    device::resident_blocks(report_, 1, 0);
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
    device::launch(kernel_,
                   {.blocks = blocks, .threads = threads(), .shared_bytes = shared_bytes(), .stream = stream},
                   arguments, constants_);
    const auto parts = static_cast<unsigned>(std::clamp<i64>(arguments.columns / leave_threads, 1, most_leave_parts));
    device::launch(
        leave_, {.blocks = parts * arguments.groups, .threads = leave_threads, .shared_bytes = 0, .stream = stream},
        arguments);
    device::launch(report_, {.blocks = 1, .threads = 1, .shared_bytes = 0, .stream = stream}, arguments);
  }

 private:
  static constexpr unsigned leave_threads = 256, most_leave_parts = 64;  // threads of a block, blocks of a group
  static constexpr std::size_t warp_bytes = sizeof(InPlaceMemory < T, P::corners ? 1 : 0, few >);

  /// Warps of a thread block: in_place_warps, or fewer if its shared memory holds fewer; at least one.
  static unsigned warps_of_block(std::size_t most_shared_bytes) {
    return static_cast<unsigned>(std::clamp<std::size_t>(most_shared_bytes / warp_bytes, 1, in_place_warps));
  }
  unsigned threads() const { return 32 * warps_; }
  std::size_t shared_bytes() const { return warps_ * warp_bytes; }

  void check(const device::Port& port) const {
    if (port.descriptor_bytes < sizeof(InPlaceTask) || port.descriptor_bytes % sizeof(u64) != 0 ||
        port.result_bytes < sizeof(InPlaceResult) || port.result_bytes % sizeof(u64) != 0) {
      throw DeviceError(kernel_.name, "the port's descriptors or results are not those of an in-place sweep");
    }
    if (port.count > 0xFFFFFFFEu / arguments_.slab_tickets) {
      throw DeviceError(kernel_.name, std::to_string(port.count) + " slabs are too many for one launch");
    }
  }

  device::Kernel<InPlaceArguments, Constants> kernel_;
  device::Kernel<InPlaceArguments> leave_, report_;
  InPlaceWorkspace plan_;
  device::Context& context_;
  unsigned char* workspace_;
  InPlaceTrial trial_;
  unsigned warps_;  // of a thread block
  Constants constants_;
  unsigned resident_ = 0;
  InPlaceArguments arguments_{};
};

template <class P>
std::unique_ptr<device::BlockKernel> InPlaceCudaSweeps<P>::make(const InPlaceSpec& spec, device::Context& context,
                                                                void* workspace, const InPlaceTrial& trial) {
  const bool few = in_place_shape(spec, trial).few;
  const auto with = [&]<class T>(T) -> std::unique_ptr<device::BlockKernel> {
    if (few) return std::make_unique<InPlaceCudaSweep<P, T, true>>(spec, context, workspace, trial);
    return std::make_unique<InPlaceCudaSweep<P, T, false>>(spec, context, workspace, trial);
  };
  if (spec.value == ElementType::f32) return with(float{});
  return with(double{});
}

}  // namespace terrace::in_place
