// Makes several steps at once of updates in three dimensions on CUDA.
#pragma once

#include <cuda_runtime.h>

#include <functional>

#include "kernels/stencil/cuda/planes/task.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

struct StencilState;

/// A kernel that streams planes of values of type T.
template <class T, class Task = VolumeTask<T>>
struct VolumeKernel {
  VolumeFrame frame;
  /// Loads the kernel. @return thread blocks that are resident on the device at a time
  std::function<unsigned()> resident_blocks;
  /// @param aligned true if lines begin at multiples of 16 bytes
  std::function<void(unsigned blocks, bool aligned, cudaStream_t stream, const StencilState* state, const Task& task)>
      launch;
};

/// The kernel of a sum; defined in the source that the build makes for the three (cuda/planes/volume.cu.in).
template <class T, VolumeKind kind, int radius>
struct CudaVolumeKernel {
  static VolumeKernel<T> kernel();
};

/// The kernel of formula F, if its cells are made in two parts; defined in the source that the build makes for both
/// (cuda/planes/parts.cu.in).
template <class F, class T>
struct CudaPartsKernel {
  static VolumeKernel<T> kernel();
};

}  // namespace terrace::stencil
