// Makes steps of a formula on CUDA. Included by the sources that the build makes from cuda/formula.cu.in.
#pragma once

#include <algorithm>

#include "kernels/launch/launch.cuh"
#include "kernels/stencil/constants.hpp"
#include "kernels/stencil/cuda/blocks.hpp"
#include "kernels/stencil/cuda/formula.hpp"
#include "kernels/stencil/cuda/linear.hpp"
#include "kernels/stencil/cuda/step_kernel.cuh"
#include "kernels/stencil/operator_list.hpp"

namespace terrace::stencil {

/// Blocks that make one step at a time, a thread a cell.
template <class F, class T>
class FormulaBlocks : public StencilBlocks<T> {
 protected:
  using Base = StencilBlocks<T>;
  using Base::axis, Base::spec, Base::state, Base::stream;

 public:
  FormulaBlocks(const StencilSpec& spec, device::Context& context, void* workspace)
      : Base(spec, context, workspace, F::fields),
        constants_(F::template constants<T>(ConstantsReader<T>(spec, Base::terms(), Base::drive()))),
        additions_(additions_of<F, T>(spec)),
        resident_(device::resident_blocks(kernel(), value_threads, 0)) {}

 protected:
  void make_levels(const StencilTask&, const Levels<T>& levels) override { make_step(levels); }

  void make_step(const Levels<T>& levels) {
    const i64 along = spec().width() == 1 ? levels.output.count() : spec().extents[2];
    const unsigned threads = threads_for(along);
    const StepTask<F, T> step = step_of(levels, (along + threads - 1) / threads);
    const i64 lines = step.width == 1 ? 1 : step.rows.count() * spec().extents[1];
    const i64 blocks = std::min<i64>(lines * step.segments, i64{resident_} * waves);
    if (blocks == 0) return;
    device::launch(
        kernel(),
        {.blocks = static_cast<unsigned>(blocks), .threads = threads, .shared_bytes = 0, .stream = stream()}, state(),
        step);
  }

 private:
  /// Thread blocks of a launch, as a multiple of those that run at a time. Not measured.
  static constexpr i64 waves = 8;

  static auto kernel() { return device::make_kernel(step_kernel<F, T>, "step_kernel"); }

  StepTask<F, T> step_of(const Levels<T>& levels, i64 segments) const {
    StepTask<F, T> step{};
    step.constants = constants_;
    step.additions = additions_;
    for (int f = 0; f < F::fields; ++f) step.from[f] = levels.from[f], step.to[f] = levels.to[f];
    step.rows = levels.output;
    for (int a = 0; a < 3; ++a) step.axes[a] = axis_faces(a);
    step.continues = axis().wraps && !levels.whole;
    step.step = levels.step;
    step.width = spec().width();
    step.segments = segments;
    return step;
  }
  AxisFaces<T> axis_faces(int number) const {
    const auto a = static_cast<std::size_t>(number);
    const Faces& faces = spec().faces[a];
    const bool exists = number == 0 || (number == 1 ? spec().rank == 3 : spec().rank >= 2);
    return {spec().extents[a], exists ? spec().radius : 0,      faces.low,
            faces.high,        static_cast<T>(faces.low_value), static_cast<T>(faces.high_value)};
  }

  typename F::template Constants<T> constants_;
  Additions<T> additions_;
  unsigned resident_;
};

template <class F>
inline constexpr bool is_sum = std::is_same_v<F, LinearSum> || std::is_same_v<F, SeparableSum>;

/// Blocks of a sum that make several steps at a time.
template <class F, class T>
class StreamBlocks final : public FormulaBlocks<F, T> {
  using Base = FormulaBlocks<F, T>;

 public:
  StreamBlocks(const StencilSpec& spec, const StreamKernel<T>& kernel, device::Context& context, void* workspace)
      : Base(spec, context, workspace), streamer_(spec, kernel) {}

 protected:
  i64 most_levels(const StencilTask& task) const override { return streamer_.most_levels(task); }
  i64 levels_unit() const override { return streamer_.levels_of_warp(); }
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
      : Base(spec, context, workspace), stepper_(spec, kernel) {}

 protected:
  void make_levels(const StencilTask&, const Levels<T>& levels) override {
    stepper_.launch(Base::state(), Base::stream(), levels);
  }

 private:
  BoxStepper<T> stepper_;
};

template <class F, class T>
std::unique_ptr<device::BlockKernel> CudaFormula<F, T>::make(const StencilSpec& spec, device::Context& context,
                                                             void* workspace) {
  if constexpr (is_sum<F>) {
    if (const auto kernel = stream_for<T>(spec)) return make_with(*kernel, spec, context, workspace);
    if (const auto kernel = box_for<T>(spec)) return make_with(*kernel, spec, context, workspace);
  }
  return std::make_unique<FormulaBlocks<F, T>>(spec, context, workspace);
}

template <class F, class T>
std::unique_ptr<device::BlockKernel> CudaFormula<F, T>::make_with(const StreamKernel<T>& kernel,
                                                                  const StencilSpec& spec, device::Context& context,
                                                                  void* workspace) {
  if constexpr (is_sum<F>) {
    return std::make_unique<StreamBlocks<F, T>>(spec, kernel, context, workspace);
  }
  throw DeviceError("stencil", "rows are streamed of sums alone");
}

template <class F, class T>
std::unique_ptr<device::BlockKernel> CudaFormula<F, T>::make_with(const BoxKernel<T>& kernel, const StencilSpec& spec,
                                                                  device::Context& context, void* workspace) {
  if constexpr (std::is_same_v<F, LinearSum>) {
    return std::make_unique<BoxBlocks<T>>(spec, kernel, context, workspace);
  }
  throw DeviceError("stencil", "boxes are sums");
}

}  // namespace terrace::stencil
