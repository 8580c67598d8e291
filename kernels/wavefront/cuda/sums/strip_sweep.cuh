// The CUDA sweeps of integer sums over areas (strip_kernel.cuh): choice of kernel, thread blocks and
// arguments.
#pragma once

#include "kernels/wavefront/cuda/launch.cuh"
#include "kernels/wavefront/cuda/sums/strip_kernel.cuh"

namespace terrace::wavefront {

/// A sweep through a kernel of strips. What strips hand to one another is told apart by tags from launch to launch.
class StripsOnCuda final : public device::BlockKernel {
 public:
  using Kernel = device::Kernel<SweepArguments, StripArguments>;

  StripsOnCuda(const SweepSpec& spec, const Kernel& kernel, const CudaWorkspace& plan, std::size_t shared_bytes,
               int value_words, device::Context& context, void* workspace, const CudaTrial& trial)
      : kernel_(kernel),
        plan_(plan),
        shared_bytes_(shared_bytes),
        context_(context),
        workspace_(static_cast<unsigned char*>(workspace)),
        trial_(trial),
        arguments_(sweep_arguments(spec, plan_, workspace_, false)) {
    resident_ = device::resident_blocks(kernel_, strip_threads, shared_bytes_);
    strips_.totals = arguments_.borders;
    strips_.carries = strips_.totals + (plan_.bands - 1) * plan_.border_words;
    strips_.rows = plan_.border_words / value_words;
    strips_.rooms = static_cast<u64>(plan_.rooms);
    strips_.room_words = plan_.room_words;
    strips_.stride = static_cast<u64>(grid_of(spec).stride());
  }

  void run(const device::Port& port) override {
    SweepArguments arguments = arguments_;
    check_port(port, arguments.bands, kernel_.name);
    arguments.launch = {port, reinterpret_cast<device::LaunchWords*>(workspace_), static_cast<u64>(plan_.slots),
                        trial_.delay_seed};
    arguments.tickets = port.count * arguments.bands;
    if (arguments.tickets == 0) return;
    const cudaStream_t stream = device::compute_stream(context_);
    if (next_tag_ == 0 || next_tag_ + port.count > 0xFFFFFFFFu) {
      TERRACE_CUDA_CHECK(cudaMemsetAsync(workspace_, 0, plan_.bytes, stream));
      next_tag_ = 1;
    } else {
      TERRACE_CUDA_CHECK(cudaMemsetAsync(workspace_, 0, plan_.borders_at, stream));
    }
    strips_.tag = static_cast<u32>(next_tag_);
    next_tag_ += port.count;
    unsigned blocks = static_cast<unsigned>(std::min<u64>(resident_, arguments.tickets));
    if (trial_.thread_blocks > 0) blocks = std::min(blocks, trial_.thread_blocks);
    device::launch(kernel_,
                   {.blocks = blocks, .threads = strip_threads, .shared_bytes = shared_bytes_, .stream = stream},
                   arguments, strips_);
  }

 private:
  Kernel kernel_;
  CudaWorkspace plan_;
  std::size_t shared_bytes_;
  device::Context& context_;
  unsigned char* workspace_;
  CudaTrial trial_;
  SweepArguments arguments_;
  StripArguments strips_{};
  unsigned resident_ = 0;
  u64 next_tag_ = 0;  // 0: nothing of the workspace is cleared
};

/// Sweeps of integer sums, of values or of marks. Where overflow of 32 bits is an error, sums are made in 64 and
/// checked: the first that does not fit is exact.
template <class P>
struct StripSweeps {
  /// True if sums of 64 bits may overflow and must be checked.
  static bool may_leave_64_bits(const SweepSpec& spec) {
    if (P::counts || problem_constants<P>(spec.settings).wrap != 0) return false;
    if (size_of(spec.grid) > 4) return true;
    const std::int64_t largest = (std::int64_t{1} << 8 * size_of(spec.grid)) - (is_signed(spec.grid) ? 0 : 1);
    return P::sum_bound(is_signed(spec.grid) ? largest / 2 : largest, spec.rows, spec.columns) == unbounded;
  }
  static bool serves(const SweepSpec& spec) {
    if (is_floating(spec.value)) return false;
    return spec.value == ElementType::i32 || !may_leave_64_bits(spec);
  }

  /// Calls call<V, T, bytes>(): sums, cells of the table, and a grid's value.
  template <class Call>
  static auto choose(const SweepSpec& spec, Call&& call) {
    if (spec.value == ElementType::i64) return choose_bytes<i64, i64>(spec, call);
    if constexpr (!P::counts) {
      if (problem_constants<P>(spec.settings).wrap == 0) return choose_bytes<i64, i32>(spec, call);
    }
    return choose_bytes<i32, i32>(spec, call);
  }
  template <class V, class T, class Call>
  static auto choose_bytes(const SweepSpec& spec, Call&& call) {
    switch (size_of(spec.grid)) {
      case 1:
        return call.template operator()<V, T, 1>();
      case 2:
        return call.template operator()<V, T, 2>();
      case 4:
        return call.template operator()<V, T, 4>();
      default:
        // Sums of such grids are as wide.
        if constexpr (P::counts || sizeof(T) == 8) return call.template operator()<V, T, 8>();
        else refuse_type(spec);
    }
  }

  template <class V, int bytes>
  static CudaWorkspace plan(const SweepSpec& spec, const device::Limits& limits) {
    return plan_strips(grid_of(spec), batch_rows(StripShape<V, bytes, P::counts>::rows), TaggedCell<V, 1>::words,
                       std::int64_t{limits.processors} * measured::CudaStrips::blocks);
  }

  static std::size_t workspace_bytes(const SweepSpec& spec, const device::Limits& limits, const CudaTrial&) {
    return choose(spec, [&]<class V, class T, int bytes>() { return plan<V, bytes>(spec, limits).bytes; });
  }

  static std::unique_ptr<device::BlockKernel> make(const SweepSpec& spec, device::Context& context, void* workspace,
                                                   const CudaTrial& trial) {
    return choose(spec, [&]<class V, class T, int bytes>() -> std::unique_ptr<device::BlockKernel> {
      const auto kernel = device::make_kernel(sum_strips_kernel<V, T, bytes, P::counts>, "sum_strips_kernel");
      return std::make_unique<StripsOnCuda>(spec, StripsOnCuda::Kernel{kernel.function, kernel.name},
                                            plan<V, bytes>(spec, context.limits()),
                                            sizeof(typename StripSweep<V, T, bytes, P::counts>::Memory),
                                            TaggedCell<V, 1>::words, context, workspace, trial);
    });
  }
};

}  // namespace terrace::wavefront
