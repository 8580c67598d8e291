// Makes several steps of a formula of radius 1 in two dimensions at a time on CUDA.
#pragma once

#include <algorithm>
#include <memory>

#include "kernels/stencil/cuda/formula_blocks.cuh"
#include "kernels/stencil/cuda/formula_stream_kernel.cuh"
#include "kernels/stencil/cuda/stream_cut.hpp"

namespace terrace::stencil {

/// True if a formula has a kernel that streams rows: if its radius is 1 in two dimensions.
template <class F>
inline constexpr bool is_streamed = requires {
  requires F::rank == 2 && F::radius == 1;
};

/// The reader that a formula makes its constants with, which numbers the arrays that are read from 0 on.
template <class T>
class ArraysReader : public ConstantsReader<T> {
  using Base = ConstantsReader<T>;

 public:
  using Base::Base;

  i32 array(const char* parameter) const { return number_of(Base::array(parameter)); }
  Quantity<T> quantity(const char* parameter) const {
    Quantity<T> quantity = Base::quantity(parameter);
    if (quantity.array >= 0) quantity.array = number_of(quantity.array);
    return quantity;
  }
  /// The new number of an array of the grid, or -1 for -1.
  i32 number_of(i32 array) const {
    if (array < 0) return array;
    arrays_.push_back(array);
    return static_cast<i32>(arrays_.size()) - 1;
  }
  const std::vector<i32>& arrays() const { return arrays_; }

 private:
  mutable std::vector<i32> arrays_;  // a reader is read as a constant
};

/// What launches of a formula that streams rows have in common.
template <class F, class T>
FormulaTask<F, T> formula_task_of(const StencilSpec& spec, const T* drive) {
  ArraysReader<T> reader(spec, nullptr, drive);
  FormulaTask<F, T> task{};
  task.constants = F::template constants<T>(reader);
  task.additions = additions_of<F, T>(spec);
  task.additions.source = reader.number_of(spec.source);
  task.additions.mask = reader.number_of(spec.mask);
  task.arrays = static_cast<i32>(reader.arrays().size());
  std::copy_n(reader.arrays().begin(), std::min<std::size_t>(reader.arrays().size(), std::size(task.array)),
              task.array);
  const auto faces_of = [&](std::size_t axis) {
    const Faces& faces = spec.faces[axis];
    return FacesOf<T>{faces.low, faces.high, static_cast<T>(faces.low_value), static_cast<T>(faces.high_value)};
  };
  task.row_faces = faces_of(0);
  task.column_faces = faces_of(2);
  return task;
}

/// Blocks of a formula that make several steps at a time, with a kernel of the sizes of S.
template <class S>
class FormulaStreamBlocks final : public FormulaBlocks<typename S::Formula, typename S::Value> {
  using F = typename S::Formula;
  using T = typename S::Value;
  using Base = FormulaBlocks<F, T>;
  using Base::spec, Base::axis;

 public:
  FormulaStreamBlocks(const StencilSpec& spec, device::Context& context, void* workspace)
      : Base(spec, context, workspace),
        cut_(spec, S::sizes, resident_blocks),
        common_(formula_task_of<F, T>(spec, Base::drive())) {}

 protected:
  i64 most_levels(const StencilTask& task) const override {
    const i64 most = cut_.most_levels(task);
    if (task.whole != 0 || task.first != 0) return most;
    // A level makes rows above the slab's result again, and needs the constant arrays there.
    i64 levels = most;
    for (i32 n = 0; n < common_.arrays; ++n) {
      const i64 begin = task.arrays[common_.array[n]].begin[0];
      if (begin > 0 || axis().wraps) levels = std::min(levels, task.row_begin - begin - task.steps + 1);
    }
    return std::max<i64>(1, levels);
  }
  i64 levels_unit() const override { return cut_.levels_of_warp(); }
  void make_levels(const StencilTask&, const Levels<T>& levels) override {
    if (levels.count == 1) Base::make_step(levels);
    else if (levels.output.count() > 0) make_at_once(levels);
  }

 private:
  static auto kernel() { return device::make_kernel(formula_stream_kernel<S>, "formula_stream_kernel"); }
  static unsigned resident_blocks(unsigned warps) {
    return device::resident_blocks(kernel(), 32 * warps, S::shared_bytes);
  }
  void make_at_once(const Levels<T>& levels) const {
    FormulaTask<F, T> task = common_;
    static_cast<StreamRows<T, F::fields>&>(task) = cut_.template rows_of<T, F::fields>(levels);
    task.block = &Base::state()->task;
    task.step = levels.step;
    device::launch(kernel(),
                   {.blocks = StreamCut::blocks_of(task),
                    .threads = 32 * cut_.warps_for(levels.count),
                    .shared_bytes = S::shared_bytes,
                    .stream = Base::stream()},
                   Base::state(), task);
  }
  StreamCut cut_;
  FormulaTask<F, T> common_;
};

/// The kernel of a formula that reads at most so many constant arrays.
template <class F, class T, i32 arrays>
using FormulaStreamShape = FormulaShape<F, T, arrays, measured::CudaFormulaStream::sizes(F::fields, sizeof(T))>;

/// The blocks of a stencil of formula F that make several steps at a time, of any faces; null if rows have less than
/// a tile, or constant arrays are too many or have rows that do not begin at multiples of 16 bytes.
template <class F, class T>
std::unique_ptr<device::BlockKernel> make_formula_stream(const StencilSpec& spec, device::Context& context,
                                                         void* workspace) {
  constexpr i32 most = measured::CudaFormulaStream::most_arrays;
  using Most = FormulaStreamShape<F, T, most>;
  if (spec.depth == 1 || spec.extents[2] < Most::tile || spec.extents[2] >= i64{1} << 31) return nullptr;
  const i32 arrays = formula_task_of<F, T>(spec, nullptr).arrays;
  if (arrays > most || (arrays > 0 && spec.extents[2] % Most::chunk != 0)) return nullptr;
  const auto make = [&]<class S>(S) { return std::make_unique<FormulaStreamBlocks<S>>(spec, context, workspace); };
  if (arrays > 1) return make(Most{});
  if (arrays == 1) return make(FormulaStreamShape<F, T, 1>{});
  if constexpr (requires { F::reads_array; }) return nullptr;
  else return make(FormulaStreamShape<F, T, 0>{});
}

}  // namespace terrace::stencil
