// The choice of the kernel of a sum, and the tiles and chunks of its launches.
#pragma once

#include <memory>
#include <optional>

#include "kernels/stencil/cuda/blocks/blocks.hpp"
#include "kernels/stencil/cuda/boxes/box.hpp"
#include "kernels/stencil/cuda/streams/cut.hpp"
#include "kernels/stencil/cuda/streams/stream.hpp"

namespace terrace::stencil {

/// The kernel that streams rows of a stencil, or nullopt if each step is to be made by itself: for anything but sums
/// with constant coefficients over a star, a small box or a separable box in two dimensions, with fixed or periodic
/// faces, no source, no mask and rows of at least a tile. @throws DeviceError if a thread block needs more than the
/// device has
template <class T>
std::optional<StreamKernel<T>> stream_for(const StencilSpec& spec);

/// The kernel that makes steps of a large box, under the same conditions, of rows of any length; nullopt for other
/// stencils, for those that stream_for() is faster for, and for Schedule::plain. In f64 it first tries the device's
/// matrix products, and waits for that.
/// @param workspace of the stencil, not yet initialised; its first 4 bytes are lost @throws DeviceError
template <class T>
std::optional<BoxKernel<T>> box_for(const StencilSpec& spec, device::Context& context, void* workspace);

/// The blocks of a sum over a star or a box of radius 1 in two dimensions with constant coefficients that make
/// several steps at a time with any faces, a source or a mask; null if each step is to be made by itself.
template <class T>
std::unique_ptr<device::BlockKernel> make_near_sum(const StencilSpec& spec, device::Context& context,
                                                   void* workspace);

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
