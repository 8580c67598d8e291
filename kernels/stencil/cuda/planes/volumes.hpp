// The kernels that stream planes, and the tiles and chunks of their launches.
#pragma once

#include <optional>
#include <vector>

#include "kernels/stencil/cuda/common/blocks.hpp"
#include "kernels/stencil/cuda/common/choice.hpp"
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

/// The cut of a grid for a kernel that streams planes.
class VolumeCut {
 public:
  /// @param resident thread blocks at a time
  VolumeCut(const StencilSpec& spec, const VolumeFrame& frame, i64 resident);

  /// The most steps at once of a slab.
  i64 most_levels(const StencilTask& task) const;
  /// True if the kernel is meant to make so many steps at once: a single one only if it makes no more than that.
  bool makes(i64 levels) const { return levels > 1 || frame_.sizes.levels == 1; }

  /// Sets all but the operands of a launch. @return true if lines begin at multiples of 16 bytes
  template <class Task, class T>
  bool place(const Levels<T>& levels, Task& task) const {
    bool aligned = true;
    for (i32 f = 0; f < frame_.fields; ++f) {
      task.from[f] = levels.from[f];
      task.to[f] = levels.to[f];
      aligned = aligned && is_aligned(task.from[f], spec_.extents[2]) && is_aligned(task.to[f], spec_.extents[2]);
    }
    task.rows = levels.output;
    task.extent = spec_.extents[0];
    task.width = spec_.width();
    task.chunks = chunks_of(task.rows.count());
    task.middle = middle_;
    task.last = last_;
    task.levels = static_cast<i32>(levels.count);
    task.keeps_rows = spec_.faces[0].low != Face::periodic;
    task.wraps_rows = levels.whole && task.keeps_rows == 0;
    return aligned;
  }

 private:
  RowChunks chunks_of(i64 planes) const;

  StencilSpec spec_;
  VolumeFrame frame_;
  VolumeAxis middle_, last_;
  i64 resident_;
};

}  // namespace terrace::stencil
