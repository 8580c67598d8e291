// Makes steps of a formula on CUDA. Included by the sources that the build makes from cuda/formula.cu.in.
#pragma once

#include "kernels/stencil/cuda/formula.hpp"
#include "kernels/stencil/cuda/planes/blocks.cuh"
#include "kernels/stencil/cuda/rows/formula_stream.cuh"
#include "kernels/stencil/cuda/rows/near_sum.hpp"
#include "kernels/stencil/cuda/rows/streamer.hpp"
#include "kernels/stencil/cuda/steps/blocks.cuh"
#include "kernels/stencil/cuda/wide/stepper.hpp"
#include "kernels/stencil/operator_list.hpp"
#include "kernels/stencil/separable.hpp"

namespace terrace::stencil {

template <class F>
inline constexpr bool is_sum = std::is_same_v<F, LinearSum> || std::is_same_v<F, SeparableSum>;

/// Blocks of a sum that make several steps at a time.
template <class F, class T>
class StreamBlocks final : public FormulaBlocks<F, T> {
  using Base = FormulaBlocks<F, T>;

 public:
  StreamBlocks(const StencilSpec& spec, const StreamKernel<T>& kernel, device::Context& context, void* workspace)
      : Base(spec, context, workspace, step_kernels_of<F, T>()), streamer_(spec, kernel) {
    Base::clear_levels();  // compute-sanitizer does not see bulk writes, and would report the reads after them
  }

 protected:
  i64 most_levels(const StencilTask& task) const override { return streamer_.cut().most_levels(task); }
  i64 levels_unit() const override { return streamer_.cut().levels_of_warp(); }
  void make_levels(const StencilTask&, const Levels<T>& levels) override {
    if (levels.count == 1) Base::make_step(levels);
    else streamer_.launch(Base::state(), Base::stream(), levels);
  }

 private:
  Streamer<T> streamer_;
};

/// Blocks of a sum over a large box.
template <class T>
class BoxBlocks final : public FormulaBlocks<LinearSum, T> {
  using Base = FormulaBlocks<LinearSum, T>;

 public:
  BoxBlocks(const StencilSpec& spec, const BoxKernel<T>& kernel, device::Context& context, void* workspace)
      : Base(spec, context, workspace, step_kernels_of<LinearSum, T>()), stepper_(spec, kernel) {}

 protected:
  i64 most_levels(const StencilTask& task) const override { return stepper_.most_levels(task); }
  void make_levels(const StencilTask&, const Levels<T>& levels) override {
    stepper_.launch(Base::state(), Base::stream(), levels);
  }

 private:
  BoxStepper<T> stepper_;
};

template <class F, class T>
std::unique_ptr<device::BlockKernel> CudaFormula<F, T>::make(Way way, const StencilSpec& spec,
                                                             device::Context& context, void* workspace) {
  if constexpr (std::is_same_v<F, LinearSum>) {
    if (way == Way::box_terms || way == Way::box_products) {
      const BoxKernel<T> kernel = box_kernel_for<T>(way == Way::box_products, spec, context, workspace);
      return std::make_unique<BoxBlocks<T>>(spec, kernel, context, workspace);
    }
    if (way == Way::formula_rows) {
      return has_shape(spec, Shape::star) ? CudaNearSum<T, false>::make(spec, context, workspace)
                                          : CudaNearSum<T, true>::make(spec, context, workspace);
    }
  }
  if constexpr (is_sum<F>) {
    if (way == Way::rows) {
      return std::make_unique<StreamBlocks<F, T>>(spec, stream_kernel_for<T>(spec), context, workspace);
    }
  }
  if constexpr (is_streamed<F>) {
    if (way == Way::formula_rows) return make_formula_stream<F, T>(spec, context, workspace);
  }
  if constexpr (has_planes<F>) {
    if (way == Way::planes) {
      VolumeTask<T> task{};
      put_operands<F>(spec, task.operands);
      return std::make_unique<VolumeBlocks<F, T>>(spec, context, workspace, step_kernels_of<F, T>(),
                                                  volume_kernel_for<F, T>(spec), task);
    }
  }
  return std::make_unique<FormulaBlocks<F, T>>(spec, context, workspace, step_kernels_of<F, T>());
}

}  // namespace terrace::stencil
