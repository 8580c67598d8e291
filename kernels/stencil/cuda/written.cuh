// Makes steps of formulas that a job writes. Included by the sources that the build makes from
// cuda/written.cu.in: what launches the kernels is compiled here, for a number of fields; the kernels are
// compiled at run time.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/compiled/store.hpp"
#include "kernels/stencil/cuda/planes/blocks.cuh"
#include "kernels/stencil/cuda/planes/launcher.cuh"
#include "kernels/stencil/cuda/planes/window_blocks.cuh"
#include "kernels/stencil/cuda/rows/formula_stream.cuh"
#include "kernels/stencil/cuda/rows/written_sizes.hpp"
#include "kernels/stencil/cuda/steps/blocks.cuh"
#include "kernels/stencil/cuda/written.hpp"
#include "kernels/stencil/cuda/written_source.hpp"
#include "kernels/stencil/written_base.hpp"

namespace terrace::stencil {

template <class T, int fields>
class WrittenKernels {
  using F = WrittenBase<fields>;

 public:
  WrittenKernels(const StencilSpec& spec, device::Context& context, void* workspace)
      : spec_(spec), context_(context), workspace_(workspace), aligned_(has_aligned_lines(spec)) {
    if (context.modules() == nullptr) throw DeviceError("stencil", "there is no place for kernels of formulas");
  }

  std::unique_ptr<device::BlockKernel> make_steps() const {
    return std::make_unique<FormulaBlocks<F, T>>(spec_, context_, workspace_, step_kernels(modules({}), 1));
  }
  std::unique_ptr<device::BlockKernel> make_rows() const {
    std::unique_ptr<device::BlockKernel> blocks;
    const auto make = [&]<i32 arrays>() {
      if (arrays == formula_arrays(spec_)) blocks = make_rows<arrays>();
    };
    [&]<i32... counts>(std::integer_sequence<i32, counts...>) { (make.template operator()<counts>(), ...); }
    (std::make_integer_sequence<i32, FormulaArrays::most + 1>());
    return blocks;
  }
  std::unique_ptr<device::BlockKernel> make_planes() const {
    if constexpr (fields <= VolumeTask<T>::most_fields) {
      if (const PlaneParts parts = plane_parts(spec_); parts.fit) return make_parts(parts);
    }
    const PlaneWindows windows = plane_windows(spec_);
    std::unique_ptr<device::BlockKernel> blocks = make_windows(windows, false, most_window_local_bytes);
    return blocks ? std::move(blocks) : make_windows(windows, true, 1 << 30);
  }

 private:
  using Modules = std::shared_ptr<const compiled::Module>;

  Modules modules(const std::vector<std::string>& shapes) const {
    return context_.modules()->module(written_source(spec_, shapes), context_);
  }
  std::unique_ptr<device::BlockKernel> make_parts(const PlaneParts& parts) const {
    const VolumeFrame frame =
        volume_frame(parts.sizes, fields, fields_among(parts.near, fields), 1, false, sizeof(T));
    const Modules all = context_.modules()->module(written_source(spec_, parts), context_);
    return std::make_unique<VolumeBlocks<F, T>>(spec_, context_, workspace_, step_kernels(all, 2),
                                                volume_kernel<VolumeTask<T>>(frame, all), VolumeTask<T>{});
  }
  /// @param fewer as in window_sizes() @param most_local of the kernel @return null if it has more
  std::unique_ptr<device::BlockKernel> make_windows(const PlaneWindows& windows, bool fewer, int most_local) const {
    const i32 arrays = formula_arrays(spec_);
    const VolumeFrame frame = window_frame(window_sizes(fields, windows.kept, arrays > 0, sizeof(T), fewer), fields,
                                           fields_among(windows.near, fields), arrays, sizeof(T));
    const Modules all = context_.modules()->module(written_source(spec_, windows, arrays, fewer), context_);
    if (all->local_bytes(1) > most_local) return nullptr;
    return std::make_unique<WindowBlocks<F, T>>(spec_, context_, workspace_, step_kernels(all, 2),
                                                volume_kernel<WindowTask<F, T>>(frame, all));
  }
  template <class Task>
  VolumeKernel<T, Task> volume_kernel(const VolumeFrame& frame, const Modules& all) const {
    return volume_kernel_of<T, Task>(frame, {aligned_ ? all->kernel(1) : nullptr, "volume_kernel"},
                                     {aligned_ ? nullptr : all->kernel(1), "volume_kernel"});
  }
  /// @param points number of the kernel of points, if the stencil has some
  StepKernels<F, T> step_kernels(const Modules& modules, std::size_t points) const {
    StepKernels<F, T> kernels{{modules->kernel(0), "step_kernel"}, {}};
    if (spec_.points) kernels.points = {modules->kernel(points), "make_points_kernel"};
    return kernels;
  }
  template <i32 arrays>
  std::unique_ptr<device::BlockKernel> make_rows() const {
    // The values of several arrays leave no room for as many levels.
    std::unique_ptr<device::BlockKernel> blocks;
    if constexpr (arrays <= FormulaArrays::count) blocks = make_rows<arrays, false>(most_local_bytes);
    return blocks ? std::move(blocks) : make_rows<arrays, true>(1 << 30);
  }
  /// @param most_local of the kernel @return null if it has more
  template <i32 arrays, bool fewer>
  std::unique_ptr<device::BlockKernel> make_rows(int most_local) const {
    constexpr measured::StreamSizes sizes = written_sizes(fields, arrays > 0, sizeof(T), fewer);
    using S = FormulaShape<F, T, arrays, sizes>;
    const auto word = [](bool value) { return value ? "true" : "false"; };
    const std::string shape = "FormulaShape<Cell, " + type() + ", " + std::to_string(arrays) + ", written_sizes(" +
                              std::to_string(fields) + ", " + word(arrays > 0) + ", " + std::to_string(sizeof(T)) +
                              ", " + word(fewer) + ")>";
    const Modules all = modules({aligned_ ? shape : "StreamByValues<" + shape + ">::Shape"});
    if (all->local_bytes(1) > most_local) return nullptr;
    return std::make_unique<FormulaStreamBlocks<F, T, F>>(
        spec_, context_, workspace_, step_kernels(all, 2), sizes,
        stream_launcher<S>({aligned_ ? all->kernel(1) : nullptr, "stream_kernel"},
                           {aligned_ ? nullptr : all->kernel(1), "stream_kernel"}));
  }
  static std::string type() { return sizeof(T) == 4 ? "float" : "double"; }

  const StencilSpec& spec_;
  device::Context& context_;
  void* workspace_;
  bool aligned_;  // of the kernels for lines that are aligned and for others one is compiled
};

template <class T>
std::unique_ptr<device::BlockKernel> CudaWritten<T>::make(Way way, const StencilSpec& spec, device::Context& context,
                                                          void* workspace) {
  std::unique_ptr<device::BlockKernel> blocks;
  const auto make = [&]<int fields>() {
    if (spec.fields() != fields) return;
    const WrittenKernels<T, fields> kernels(spec, context, workspace);
    if (way == Way::formula_rows) blocks = kernels.make_rows();
    if constexpr (fields <= most_window_fields) {
      if (way == Way::planes) blocks = kernels.make_planes();
    }
    if (way == Way::steps) blocks = kernels.make_steps();
  };
  [&]<int... numbers>(std::integer_sequence<int, numbers...>) { (make.template operator()<numbers + 1>(), ...); }
  (std::make_integer_sequence<int, most_fields>());
  return blocks;
}

}  // namespace terrace::stencil
