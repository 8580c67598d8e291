#include "kernels/stencil/cuda/wide/stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/stencil/cuda/common/choice.hpp"
#include "kernels/stencil/cuda/common/sums.hpp"

namespace terrace::stencil {

namespace {

using measured::BoxSums;
using measured::CudaBox;

/// The size of values from which on their products with the coefficients are far from the smallest numbers of f64.
double least_value(const std::vector<Term<double>>& terms) {
  constexpr double far = 0x1p-960;
  double least = std::numeric_limits<double>::infinity();
  for (const Term<double>& term : terms) {
    if (term.coefficient != 0) least = std::min(least, std::abs(term.coefficient));
  }
  return far / least;
}

}  // namespace

bool suit_products(const std::vector<Term<double>>& terms) {
  const bool any_positive = std::ranges::any_of(terms, [](const auto& term) { return term.coefficient > 0; });
  return any_positive && least_value(terms) < 0x1p-500;
}

template <class T>
BoxKernel<T> box_kernel_for(bool products, const StencilSpec& spec, device::Context& context, void* workspace) {
  const bool exact = products && CudaBoxKernel<T>::has_exact_products(device::compute_stream(context), workspace);
  return CudaBoxKernel<T>::kernel(exact ? BoxSums::products : BoxSums::terms, spec.radius);
}

template <class T>
BoxStepper<T>::BoxStepper(const StencilSpec& spec, const BoxKernel<T>& kernel)
    : spec_(spec), kernel_(kernel), resident_(kernel.resident_blocks()) {
  put_coefficients(spec, BoxTask<T>::row_of(2 * spec.radius + 1), common_.coefficients);
  common_.least = static_cast<T>(least_value(spec.terms));
  common_.extent = spec.extents[0];
  common_.width = spec.width();
  common_.keeps_rows = spec.faces[0].low == Face::fixed;
  common_.wraps_columns = spec.faces[2].low == Face::periodic;
}

template <class T>
i64 BoxStepper<T>::most_levels(const StencilTask& task) const {
  return levels_at_once(spec_, task, kernel_.sizes.levels);
}

template <class T>
void BoxStepper<T>::launch(const StencilState* state, cudaStream_t stream, const Levels<T>& levels) const {
  const i64 rows = levels.output.count();
  if (rows == 0) return;
  BoxTask<T> task = common_;
  task.from[0] = levels.from[0];
  task.to[0] = levels.to[0];
  task.rows = levels.output;
  task.levels = static_cast<i32>(levels.count);
  task.wraps_rows = levels.whole && task.keeps_rows == 0;
  task.aligned = is_aligned(task.from[0], task.width) && is_aligned(task.to[0], task.width);
  const i64 side = rounded_up(spec_.radius * (levels.count - 1), static_cast<i64>(16 / sizeof(T)));
  task.chunks.stride = kernel_.width() - 2 * side;
  task.chunks.tiles = ceiling(task.width, task.chunks.stride);
  const i64 batch = kernel_.sizes.rows, batches = ceiling(rows, batch), all = batches * task.chunks.tiles;
  const i64 warps = resident_ * task.block_warps;
  const i64 shares = std::clamp<i64>(all / (warps * CudaBox::batches_of_share), 1,
                                     CudaBox::shares(kernel_.sums, spec_.radius, sizeof(T)));
  const i64 blocks = std::min(resident_ * shares, ceiling(all, i64{task.block_warps}));
  task.chunks.rows = std::min(batches, ceiling(all, blocks * task.block_warps)) * batch;
  kernel_.launch(static_cast<unsigned>(blocks), stream, state, task);
}

template BoxKernel<float> box_kernel_for<float>(bool, const StencilSpec&, device::Context&, void*);
template BoxKernel<double> box_kernel_for<double>(bool, const StencilSpec&, device::Context&, void*);
template class BoxStepper<float>;
template class BoxStepper<double>;

}  // namespace terrace::stencil
