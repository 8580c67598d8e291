// The choice of the kernel that streams planes, and the tiles and chunks of its launches.
#pragma once

#include <optional>
#include <vector>

#include "kernels/stencil/cuda/blocks/blocks.hpp"
#include "kernels/stencil/cuda/volumes/volume.hpp"

namespace terrace::stencil {

/// The kernel that streams planes of a sum, or nullopt if each step is to be made by itself: for anything but
/// constant coefficients over a star or a box in three dimensions, with fixed or periodic faces, no source, no mask
/// and planes of at least half a tile each way. @throws DeviceError if a thread block needs more than the device has
template <class T>
std::optional<VolumeKernel<T>> volume_of_sum(const StencilSpec& spec);

/// The same of heat3d or wave3d, if its quantity is a number.
template <class T>
std::optional<VolumeKernel<T>> volume_of_formula(const StencilSpec& spec, VolumeKind kind);

/// The coefficients of a sum.
template <class T>
std::vector<T> coefficients_of(const StencilSpec& spec) {
  std::vector<T> coefficients;
  for (const Term<double>& term : spec.terms) coefficients.push_back(static_cast<T>(term.coefficient));
  return coefficients;
}

/// The launches of a kernel that streams planes.
template <class T>
class VolumeStreamer {
 public:
  /// @param operands of the kernel (VolumeTask)
  VolumeStreamer(const StencilSpec& spec, const VolumeKernel<T>& kernel, const std::vector<T>& operands);

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
