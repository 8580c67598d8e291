// Makes several steps at once of sums over a star or a box, and of heat3d and wave3d, on CUDA.
#pragma once

#include <cuda_runtime.h>

#include "kernels/stencil/cuda/volumes/task.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

struct StencilState;

/// A kernel that streams planes, of one kind, radius and type of values.
template <class T>
struct VolumeKernel {
  measured::VolumeSizes sizes;
  i32 fields;
  i32 width, height;           // cells of a tile along the last and the middle axis
  i32 cells_halo, lines_halo;  // of those at a side that are not made
  i32 depth, delay;            // planes read above a chunk; planes by which the result is behind what is read
  /// Loads the kernel. @return thread blocks that are resident on the device at a time
  unsigned (*resident_blocks)();
  /// @param aligned true if lines begin at multiples of 16 bytes
  void (*launch)(unsigned blocks, bool aligned, cudaStream_t stream, const StencilState* state,
                 const VolumeTask<T>& task);
};

/// Defined in the source that the build makes for the three (cuda/volumes/volume.cu.in).
template <class T, VolumeKind kind, int radius>
struct CudaVolumeKernel {
  static VolumeKernel<T> kernel();
};

}  // namespace terrace::stencil
