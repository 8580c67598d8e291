// The choice of the kernel of a sum, and the tiles and chunks of its launches.
#pragma once

#include <optional>
#include <vector>

#include "kernels/stencil/cuda/blocks.hpp"
#include "kernels/stencil/cuda/box.hpp"
#include "kernels/stencil/cuda/stream.hpp"

namespace terrace::stencil {

/// The kernel that streams rows of a stencil, or nullopt if each step is to be made by itself: for anything but sums
/// with constant coefficients over a star, a small box or a separable box in two dimensions, with fixed or periodic
/// faces, no source, no mask and rows of at least a tile. @throws DeviceError if a thread block needs more than the
/// device has
template <class T>
std::optional<StreamKernel<T>> stream_for(const StencilSpec& spec);

/// The kernel that makes a step of a large box, under the same conditions, of rows of any length; nullopt for other
/// stencils, and for Schedule::plain.
template <class T>
std::optional<BoxKernel<T>> box_for(const StencilSpec& spec);

/// The launches of a kernel that streams rows.
template <class T>
class Streamer {
 public:
  Streamer(const StencilSpec& spec, const StreamKernel<T>& kernel);

  /// The most steps at once of a slab, and the number of steps of which others are best a multiple.
  i64 most_levels(const StencilTask& task) const;
  i64 levels_of_warp() const { return kernel_.sizes.levels; }
  void launch(const StencilState* state, cudaStream_t stream, const Levels<T>& levels) const;

 private:
  i64 tile() const { return 32 * kernel_.sizes.cells; }
  i64 chunk_rows(i64 rows, i64 tiles, i64 halo, unsigned warps) const;

  StencilSpec spec_;
  StreamKernel<T> kernel_;
  StreamTask<T> common_{};
  std::vector<i64> resident_;  // thread blocks at a time, by their warps
};

/// The launches of a kernel that makes a step of a large box.
template <class T>
class BoxStepper {
 public:
  BoxStepper(const StencilSpec& spec, const BoxKernel<T>& kernel);

  /// @param levels one
  void launch(const StencilState* state, cudaStream_t stream, const Levels<T>& levels) const;

 private:
  BoxKernel<T> kernel_;
  StreamTask<T> common_;
};

}  // namespace terrace::stencil
