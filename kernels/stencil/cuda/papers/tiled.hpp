// Blocks of sums over offsets in two dimensions that make several steps of tiles in shared memory: the schedules
// `overlapped` and `time_skewed`.
#pragma once

#include <cuda_runtime.h>

#include <memory>

#include "kernels/stencil/cuda/papers/task.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

struct StencilState;

/// True if the stencil's schedule is one of tiles.
bool is_tiled(const StencilSpec& spec);
/// Bytes of a workspace that such a schedule takes in addition; 0 for others.
std::size_t tiled_bytes(const StencilSpec& spec, const device::Limits& limits);
/// Blocks of a checked stencil with such a schedule.
std::unique_ptr<device::BlockKernel> make_tiled(const StencilSpec& spec, device::Context& context, void* workspace);

/// A loaded kernel, with the bytes of shared memory of a thread block.
template <class T>
struct OverlappedKernel {
  std::size_t shared_bytes;
  void (*launch)(unsigned blocks, std::size_t shared_bytes, cudaStream_t stream, StencilState* state,
                 const TileTask<T>& task);
};
template <class T>
struct SkewedKernel {
  std::size_t shared_bytes;
  unsigned resident;  // thread blocks on the device at a time
  void (*launch)(unsigned blocks, std::size_t shared_bytes, cudaStream_t stream, StencilState* state,
                 const SkewedTask<T>& task);
};

/// Defined in the source that the build makes for T (cuda/papers/tiled.cu.in). @throws DeviceError if a thread block
/// needs more than the device has
template <class T>
struct CudaTiles {
  static OverlappedKernel<T> overlapped(int terms);
  /// @param levels the most of a launch
  static SkewedKernel<T> skewed(SkewedTile tile, int radius, int levels, int terms);
};

}  // namespace terrace::stencil
