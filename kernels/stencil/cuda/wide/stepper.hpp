// The kernel that makes steps of a large box, and its launches.
#pragma once

#include <vector>

#include "kernels/stencil/cuda/common/blocks.hpp"
#include "kernels/stencil/cuda/wide/box.hpp"

namespace terrace::stencil {

/// True if sums that may be -0 are found by looking at the values (cuda/wide/products.cuh), few of which have
/// products with the coefficients near the smallest numbers of f64.
bool suit_products(const std::vector<Term<double>>& terms);

/// The kernel that makes steps of a large box. @param products matrix products are wanted: they are first tried on
/// the device, which is waited for; one that rounds otherwise takes terms
/// @param workspace of the stencil, not yet initialised; its first 4 bytes are lost @throws DeviceError
template <class T>
BoxKernel<T> box_kernel_for(bool products, const StencilSpec& spec, device::Context& context, void* workspace);

/// The launches of a kernel that makes steps of a large box.
template <class T>
class BoxStepper {
 public:
  BoxStepper(const StencilSpec& spec, const BoxKernel<T>& kernel);

  /// The most steps at once of a slab.
  i64 most_levels(const StencilTask& task) const;
  void launch(const StencilState* state, cudaStream_t stream, const Levels<T>& levels) const;

 private:
  StencilSpec spec_;
  BoxKernel<T> kernel_;
  i64 resident_;  // thread blocks that run at a time
  BoxTask<T> common_{};
};

}  // namespace terrace::stencil
