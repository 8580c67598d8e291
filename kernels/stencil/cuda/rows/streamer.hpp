// The kernel that streams rows of a sum, and its launches.
#pragma once

#include "kernels/stencil/cuda/rows/cut.hpp"
#include "kernels/stencil/cuda/rows/stream.hpp"

namespace terrace::stencil {

/// The kernel that streams rows of a sum that has one (Way::rows).
/// @throws DeviceError if a thread block needs more than the device has
template <class T>
StreamKernel<T> stream_kernel_for(const StencilSpec& spec);

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

}  // namespace terrace::stencil
