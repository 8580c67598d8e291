// Makes several steps of a formula of radius 1 in two dimensions at a time on CUDA.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/stencil/cuda/common/formula_arrays.hpp"
#include "kernels/stencil/cuda/rows/cut.hpp"
#include "kernels/stencil/cuda/rows/formula_level.cuh"
#include "kernels/stencil/cuda/rows/launcher.cuh"
#include "kernels/stencil/cuda/steps/blocks.cuh"

namespace terrace::stencil {

/// True if a formula has a kernel that streams rows: if its radius is 1 in two dimensions.
template <class F>
inline constexpr bool is_streamed = requires {
  requires F::rank == 2 && F::radius == 1;
};

/// The kernels of a formula, by the constant arrays that they read (FormulaArrays), ascending.
template <OwnArray own>
struct StreamedArrays;
template <>
struct StreamedArrays<OwnArray::none> {
  using List = std::integer_sequence<i32, 0, FormulaArrays::count>;
};
template <>
struct StreamedArrays<OwnArray::optional> {
  using List = std::integer_sequence<i32, 0, 1, FormulaArrays::count>;
};
template <>
struct StreamedArrays<OwnArray::required> {
  using List = std::integer_sequence<i32, 1, FormulaArrays::count>;
};

/// The reader that a formula makes its constants with: it notes the formula's own constant array.
template <class T>
class OwnArrayReader : public ConstantsReader<T> {
  using Base = ConstantsReader<T>;

 public:
  /// @param own becomes the number of the array, or stays as it is
  OwnArrayReader(const StencilSpec& spec, const T* drive, i32& own)
      : Base(spec, nullptr, drive), spec_(spec), own_(own) {}

  i32 array(const char* parameter) const { return own_ = Base::array(parameter); }
  Quantity<T> quantity(const char* parameter) const {
    const Quantity<T> quantity = Base::quantity(parameter);
    if (quantity.array >= 0) own_ = quantity.array;
    return quantity;
  }
  /// The coefficient of a sum's term.
  T coefficient(int term) const { return static_cast<T>(spec_.terms[static_cast<std::size_t>(term)].coefficient); }

 private:
  const StencilSpec& spec_;
  i32& own_;
};

/// The common part of all launches of a formula that streams rows.
template <class F, class T>
FormulaTask<F, T> formula_task_of(const StencilSpec& spec, const T* drive) {
  FormulaTask<F, T> task{};
  number_arrays(spec, task.array);
  task.constants = F::template constants<T>(OwnArrayReader<T>(spec, drive, task.array[FormulaArrays::own]));
  task.additions = additions_of<F, T>(spec);
  task.row_faces = faces_of<T>(spec, 0);
  task.column_faces = faces_of<T>(spec, 2);
  return task;
}

/// Blocks of a formula that make several steps at a time.
/// @tparam Step the formula that single steps are made with
template <class F, class T, class Step>
class FormulaStreamBlocks final : public FormulaBlocks<Step, T> {
  using Base = FormulaBlocks<Step, T>;
  using Base::spec;

 public:
  using Launcher = StreamLauncher<FormulaTask<F, T>>;

  /// @param sizes of the kernel
  FormulaStreamBlocks(const StencilSpec& spec, device::Context& context, void* workspace,
                      const StepKernels<Step, T>& step, const measured::StreamSizes& sizes, const Launcher& launcher)
      : Base(spec, context, workspace, step),
        launcher_(launcher),
        cut_(spec, sizes, [this](unsigned warps, bool aligned) { return launcher_.resident_blocks(warps, aligned); }),
        common_(formula_task_of<F, T>(spec, Base::drive())) {}

 protected:
  i64 most_levels(const StencilTask& task) const override { return cut_.most_levels(task); }
  i64 levels_unit() const override { return cut_.levels_of_warp(); }
  void make_levels(const StencilTask&, const Levels<T>& levels) override {
    if (levels.count == 1) Base::make_step(levels);
    else if (levels.output.count() > 0) make_at_once(levels);
  }

 private:
  void make_at_once(const Levels<T>& levels) const {
    FormulaTask<F, T> task = common_;
    static_cast<StreamRows<T, F::fields>&>(task) = cut_.template rows_of<T, F::fields>(levels);
    task.block = &Base::state()->task;
    task.step = levels.step;
    launcher_.launch(StreamCut::blocks_of(task), cut_.warps_for(levels.count), Base::stream(), Base::state(), task);
  }
  Launcher launcher_;
  StreamCut cut_;
  FormulaTask<F, T> common_;
};

/// The kernel of a formula that reads these constant arrays (FormulaArrays).
template <class F, class T, i32 arrays>
using FormulaStreamShape =
    FormulaShape<F, T, arrays, measured::CudaFormulaStream::sizes(F::fields, arrays > 0, sizeof(T))>;

/// The blocks of a stencil of formula F that make several steps at a time, of any faces (Way::formula_rows).
/// @tparam Step the formula that single steps are made with
template <class F, class T, class Step = F>
std::unique_ptr<device::BlockKernel> make_formula_stream(const StencilSpec& spec, device::Context& context,
                                                         void* workspace) {
  const i32 arrays = formula_arrays(spec);
  std::unique_ptr<device::BlockKernel> blocks;
  const auto make = [&]<i32 count>() {
    if (blocks || count < arrays) return;
    using Shape = FormulaStreamShape<F, T, count>;
    blocks = std::make_unique<FormulaStreamBlocks<F, T, Step>>(spec, context, workspace, step_kernels_of<Step, T>(),
                                                               Shape::sizes, stream_launcher<Shape>());
  };
  [&]<i32... counts>(std::integer_sequence<i32, counts...>) { (make.template operator()<counts>(), ...); }
  (typename StreamedArrays<F::own_array>::List{});
  return blocks;
}

}  // namespace terrace::stencil
