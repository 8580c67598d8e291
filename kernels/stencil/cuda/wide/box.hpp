// Makes steps of sums over large boxes in two dimensions on CUDA.
#pragma once

#include <cuda_runtime.h>

#include "kernels/stencil/cuda/wide/task.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

struct StencilState;

/// A kernel that makes steps of a box, of one radius and type of values.
template <class T>
struct BoxKernel {
  measured::BoxSums sums;
  measured::BoxSizes sizes;
  /// Loads the kernel. @return thread blocks that are resident on the device at a time
  /// @throws DeviceError if a thread block needs more than the device has
  unsigned (*resident_blocks)();
  void (*launch)(unsigned blocks, cudaStream_t stream, const StencilState* state, const BoxTask<T>& task);

  /// Cells of a row of a warp's strip.
  i64 width() const { return 32 * i64{sizes.cells}; }
};

/// Defined in the source that the build makes for T (cuda/wide/box.cu.in).
template <class T>
struct CudaBoxKernel {
  /// @param sums products where measured::CudaBox::has_products() alone
  /// @param radius measured::CudaBox::least_radius ... measured::CudaBox::most_radius
  static BoxKernel<T> kernel(measured::BoxSums sums, int radius);
  /// True if the device's matrix products add their terms one by one, with the roundings of the definition. Waits for
  /// the device. @param word 4 bytes of device memory, which are lost
  static bool has_exact_products(cudaStream_t stream, void* word);
};

}  // namespace terrace::stencil
