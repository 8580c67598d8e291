// The choice of the kernel that streams planes, and the tiles and chunks of its launches.
#pragma once

#include <optional>

#include "kernels/stencil/cuda/blocks.hpp"
#include "kernels/stencil/cuda/volumes/volume.hpp"

namespace terrace::stencil {

/// The kernel that streams planes of a stencil, or nullopt if each step is to be made by itself: for anything but
/// sums with constant coefficients over a star or a box in three dimensions, with fixed or periodic faces, no source,
/// no mask and planes of at least half a tile each way. @throws DeviceError if a thread block needs more than the
/// device has
template <class T>
std::optional<VolumeKernel<T>> volume_for(const StencilSpec& spec);

/// The launches of a kernel that streams planes.
template <class T>
class VolumeStreamer {
 public:
  VolumeStreamer(const StencilSpec& spec, const VolumeKernel<T>& kernel);

  /// The most steps at once of a slab.
  i64 most_levels(const StencilTask& task) const;
  /// True if the kernel is meant to make so many steps at once: a single one only if it makes no more than that.
  bool makes(i64 levels) const { return levels > 1 || kernel_.sizes.levels == 1; }
  void launch(const StencilState* state, cudaStream_t stream, const Levels<T>& levels) const;

 private:
  StencilSpec spec_;
  VolumeKernel<T> kernel_;
  VolumeTask<T> common_{};
  i64 resident_;  // thread blocks at a time
};

}  // namespace terrace::stencil
