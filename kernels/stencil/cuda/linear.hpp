// The kernel of a sum, and the tiles and chunks of its launches.
#pragma once

#include <optional>
#include <vector>

#include "kernels/stencil/cuda/blocks/blocks.hpp"
#include "kernels/stencil/cuda/boxes/box.hpp"
#include "kernels/stencil/cuda/streams/cut.hpp"
#include "kernels/stencil/cuda/streams/stream.hpp"

namespace terrace::stencil {

/// The form of a sum, if kernels of partial sums or of large boxes compute it: with numbers as coefficients.
std::optional<measured::StreamForm> form_of(const StencilSpec& spec);

/// The size of values from which on their products with the coefficients are far from the smallest numbers of f64.
double least_value(const std::vector<Term<double>>& terms);

/// True if sums that may be -0 are found by looking at the values (cuda/boxes/products.cuh), few of which are below
/// least_value().
bool suit_products(const std::vector<Term<double>>& terms);

/// The kernel that streams rows of a sum that has one (Way::rows).
/// @throws DeviceError if a thread block needs more than the device has
template <class T>
StreamKernel<T> stream_kernel_for(const StencilSpec& spec);

/// The kernel that makes steps of a large box. @param products matrix products are wanted: they are first tried on
/// the device, which is waited for; one that rounds otherwise takes terms
/// @param workspace of the stencil, not yet initialised; its first 4 bytes are lost @throws DeviceError
template <class T>
BoxKernel<T> box_kernel_for(bool products, const StencilSpec& spec, device::Context& context, void* workspace);

/// The launches of a kernel that streams rows of a sum.
template <class T>
class Streamer {
 public:
  Streamer(const StencilSpec& spec, const StreamKernel<T>& kernel);

  const StreamCut& cut() const { return cut_; }
  void launch(const StencilState* state, cudaStream_t stream, const Levels<T>& levels) const;

 private:
  StreamKernel<T> kernel_;
  StreamCut cut_;
  StreamTask<T> common_{};
};

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
