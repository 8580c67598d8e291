// Makes one step of a formula at a time on CUDA.
#pragma once

#include <algorithm>

#include "kernels/launch/launch.cuh"
#include "kernels/stencil/constants.hpp"
#include "kernels/stencil/cuda/common/blocks.hpp"
#include "kernels/stencil/cuda/points/kernel.cuh"
#include "kernels/stencil/cuda/points/room.hpp"
#include "kernels/stencil/cuda/steps/kernel.cuh"

namespace terrace::stencil {

/// The kernels that make single steps of F, and the points of launches. A stencil without points has no kernel of
/// them.
template <class F, class T>
struct StepKernels {
  device::Kernel<const StencilState*, StepTask<F, T>> steps;
  device::Kernel<const StencilState*, PointsTask<F, T>> points;
};

template <class F, class T>
StepKernels<F, T> step_kernels_of() {
  return {device::make_kernel(step_kernel<F, T>, "step_kernel"),
          device::make_kernel(make_points_kernel<F, T>, "make_points_kernel")};
}

/// Blocks that make one step at a time. Of F they know its fields and constants; the kernel may be compiled at run
/// time, of another formula that has the same.
template <class F, class T>
class FormulaBlocks : public StencilBlocks<T> {
 protected:
  using Base = StencilBlocks<T>;
  using Base::axis, Base::spec, Base::state, Base::stream;

 public:
  FormulaBlocks(const StencilSpec& spec, device::Context& context, void* workspace, const StepKernels<F, T>& kernels)
      : Base(spec, context, workspace, F::fields),
        kernels_(kernels),
        constants_(F::template constants<T>(ConstantsReader<T>(spec, Base::terms(), Base::drive()))),
        additions_(additions_of<F, T>(spec)),
        resident_(device::resident_blocks(kernels.steps, value_threads, 0)) {
    if (!spec.points) return;
    points_ = Base::points();
    shared_ = context.limits().block_shared_bytes;
    std::size_t most = 0;
    for (i64 levels = 1; levels <= most_patch_levels(spec); ++levels) {
      most = std::max(most, patch_shared_bytes(spec, levels, shared_));
    }
    device::resident_blocks(kernels.points, patch_threads, most);  // loads its code now
  }

 protected:
  void make_levels(const StencilTask&, const Levels<T>& levels) override { make_step(levels); }

  const typename F::template Constants<T>& constants() const { return constants_; }
  const Additions<T>& additions() const { return additions_; }
  void make_step(const Levels<T>& levels) {
    constexpr i64 cells = LineCells<T>::count, most_tall = measured::CudaStep::rows, most_segments = i64{1} << 31;
    const bool of_rows = spec().width() == 1;
    const i64 middles = of_rows ? 1 : spec().extents[1];
    // So few rows at a time that their segments can be counted in 32 bits.
    for (RowRange rest = levels.output; rest.count() > 0;) {
      const i64 along = of_rows ? std::min(rest.count(), most_segments) : spec().extents[2];
      const unsigned threads = threads_for((along + cells - 1) / cells);
      const i64 segments = (along + threads * cells - 1) / (threads * cells);
      const i64 rows = of_rows ? along : std::clamp<i64>(most_segments / (segments * middles), 1, rest.count());
      // Rows of a thread: many if enough threads have work.
      const i64 tall = of_rows ? 1 : std::clamp<i64>(rows * middles * segments / (i64{resident_} * 4), 1, most_tall);
      const i64 lines = of_rows ? 1 : (rows + tall - 1) / tall * middles;
      StepTask<F, T> step = step_of(levels, {rest.begin, rest.begin + rows}, lines, segments);
      step.tall = static_cast<i32>(tall);
      const i64 blocks = std::min<i64>(lines * segments, i64{resident_} * waves);
      device::launch(
          kernels_.steps,
          {.blocks = static_cast<unsigned>(blocks), .threads = threads, .shared_bytes = 0, .stream = stream()},
          state(), step);
      rest.begin += rows;
    }
  }

  void make_points(const Levels<T>& levels) override {
    const i64 count = points_.source_count + points_.receiver_count;
    if (levels.output.count() == 0 || count == 0) return;
    const std::size_t shared_bytes = patch_shared_bytes(spec(), levels.count, shared_);
    const PointsTask<F, T> task{step_of(levels, levels.output, 0, 0), static_cast<i32>(levels.count),
                                shared_bytes > 0 ? 1 : 0, patch_shape(spec(), levels.count), points_};
    const i64 cells = patch_cells(spec(), levels.count),
              blocks = shared_bytes > 0 ? count : patch_blocks(spec(), levels.count);
    device::launch(kernels_.points,
                   {.blocks = static_cast<unsigned>(std::min({blocks, count, most_value_blocks})),
                    .threads = cells >= patch_threads ? unsigned{patch_threads} : threads_for(cells),
                    .shared_bytes = shared_bytes,
                    .stream = stream()},
                   state(), task);
  }

 private:
  /// Thread blocks of a launch, as a multiple of those that run at a time. Not measured.
  static constexpr i64 waves = 8;

  StepTask<F, T> step_of(const Levels<T>& levels, RowRange rows, i64 lines, i64 segments) const {
    StepTask<F, T> step{};
    step.constants = constants_;
    step.additions = additions_;
    for (int f = 0; f < F::fields; ++f) step.from[f] = levels.from[f], step.to[f] = levels.to[f];
    step.rows = rows;
    for (int a = 0; a < 3; ++a) step.axes[a] = axis_faces(a);
    step.continues = axis().wraps && !levels.whole;
    step.step = levels.step;
    step.width = spec().width();
    step.lines = static_cast<u32>(lines);
    step.segments = static_cast<u32>(segments);
    return step;
  }
  AxisFaces<T> axis_faces(int number) const {
    const auto a = static_cast<std::size_t>(number);
    const Faces& faces = spec().faces[a];
    const bool exists = number == 0 || (number == 1 ? spec().rank == 3 : spec().rank >= 2);
    return {spec().extents[a], exists ? spec().radius : 0,      faces.low,
            faces.high,        static_cast<T>(faces.low_value), static_cast<T>(faces.high_value)};
  }

  StepKernels<F, T> kernels_;
  PointLists<T> points_{};
  std::size_t shared_ = 0;  // bytes that a thread block of points may have
  typename F::template Constants<T> constants_;
  Additions<T> additions_;
  unsigned resident_;
};

}  // namespace terrace::stencil
