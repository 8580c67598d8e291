// Blocks of updates in three dimensions that make several steps at a time.
#pragma once

#include <algorithm>

#include "kernels/stencil/constants.hpp"
#include "kernels/stencil/cuda/planes/volumes.hpp"
#include "kernels/stencil/cuda/steps/blocks.cuh"
#include "kernels/stencil/operators/linear.hpp"
#include "kernels/values/type_list.hpp"

namespace terrace::stencil {

/// True if a formula has a kernel that streams planes.
template <class F>
inline constexpr bool has_planes = values::same_type<F, LinearSum> || InTwoParts<F>;

/// No constant arrays: kernels that stream planes of operators read none.
template <class T>
struct NoArrays {
  TERRACE_HOST_DEVICE T array(i32) const { return T(0); }
};

/// The kernel that streams planes of a stencil of formula F, which has one.
template <class F, class T>
VolumeKernel<T> volume_kernel_for(const StencilSpec& spec) {
  if constexpr (InTwoParts<F>) return CudaPartsKernel<F, T>::kernel();
  else return sum_kernel_for<T>(volume_kind(spec).value(), spec.radius);
}
/// Puts its operands into a launch.
template <class F, class T>
void put_operands(const StencilSpec& spec, VolumeOperands<T>& operands) {
  if constexpr (InTwoParts<F>) {
    operands[0] =
        F::template factor<T>(F::template constants<T>(ConstantsReader<T>(spec, nullptr, nullptr)), NoArrays<T>{});
  } else {
    std::ranges::copy(coefficients_of<T>(spec), operands);
  }
}

/// Blocks of F that make several steps at a time.
template <class F, class T, class Task = VolumeTask<T>>
class VolumeBlocks : public FormulaBlocks<F, T> {
  using Base = FormulaBlocks<F, T>;

 public:
  /// @param common the operands of all launches
  VolumeBlocks(const StencilSpec& spec, device::Context& context, void* workspace, const StepKernels<F, T>& step,
               const VolumeKernel<T, Task>& kernel, const Task& common)
      : Base(spec, context, workspace, step),
        kernel_(kernel),
        cut_(spec, kernel.frame, kernel.resident_blocks()),
        common_(common) {}

 protected:
  i64 most_levels(const StencilTask& task) const override { return cut_.most_levels(task); }
  void make_levels(const StencilTask&, const Levels<T>& levels) override {
    if (!cut_.makes(levels.count)) Base::make_step(levels);
    else if (levels.output.count() > 0) make_at_once(levels);
  }
  /// Sets the operands of a launch that not all of them have in common.
  virtual void begin(const Levels<T>&, Task&) const {}

 private:
  void make_at_once(const Levels<T>& levels) const {
    Task task = common_;
    begin(levels, task);
    const bool aligned = cut_.place(levels, task);
    kernel_.launch(static_cast<unsigned>(task.chunks.blocks()), aligned, Base::stream(), Base::state(), task);
  }

  VolumeKernel<T, Task> kernel_;
  VolumeCut cut_;
  Task common_;
};

}  // namespace terrace::stencil
