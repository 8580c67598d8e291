// Blocks of formulas that a job writes, whose planes stream in windows.
#pragma once

#include "kernels/stencil/cuda/common/formula_arrays.hpp"
#include "kernels/stencil/cuda/planes/blocks.cuh"
#include "kernels/stencil/cuda/planes/window_task.hpp"

namespace terrace::stencil {

template <class F, class T>
class WindowBlocks final : public VolumeBlocks<F, T, WindowTask<F, T>> {
  using Task = WindowTask<F, T>;
  using Base = VolumeBlocks<F, T, Task>;

 public:
  WindowBlocks(const StencilSpec& spec, device::Context& context, void* workspace, const StepKernels<F, T>& step,
               const VolumeKernel<T, Task>& kernel)
      : Base(spec, context, workspace, step, kernel, task_of(spec)) {}

 protected:
  void begin(const Levels<T>& levels, Task& task) const override {
    task.operands.constants = Base::constants();
    task.operands.additions = Base::additions();
    task.operands.block = &Base::state()->task;
    task.operands.step = levels.step;
  }

 private:
  static Task task_of(const StencilSpec& spec) {
    Task task{};
    number_arrays(spec, task.operands.array);
    for (std::size_t axis = 0; axis < most_rank; ++axis) task.operands.faces[axis] = faces_of<T>(spec, axis);
    return task;
  }
};

}  // namespace terrace::stencil
