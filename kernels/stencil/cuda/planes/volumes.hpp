// The kernel that streams planes, and the tiles and chunks of its launches.
#pragma once

#include <optional>
#include <vector>

#include "kernels/stencil/cuda/common/blocks.hpp"
#include "kernels/stencil/cuda/planes/volume.hpp"

namespace terrace::stencil {

/// The kind of a stencil's update, if there are kernels that stream its planes; none of formulas that a job writes.
std::optional<VolumeKind> volume_kind(const StencilSpec& spec);
/// The sizes of that kernel.
measured::VolumeSizes volume_sizes(const StencilSpec& spec);

/// The kernel of a sum; of radii for which there is one (CudaVolume::most_radius).
template <class T>
VolumeKernel<T> sum_kernel_for(VolumeKind kind, int radius);

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
  bool makes(i64 levels) const { return levels > 1 || kernel_.frame.sizes.levels == 1; }
  void launch(const StencilState* state, cudaStream_t stream, const Levels<T>& levels) const;

 private:
  StencilSpec spec_;
  VolumeKernel<T> kernel_;
  VolumeTask<T> common_{};
  i64 resident_;  // thread blocks at a time
};

}  // namespace terrace::stencil
