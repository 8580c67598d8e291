// Launches a kernel that streams rows (kernel.cuh).
#pragma once

#include "kernels/launch/launch.cuh"
#include "kernels/stencil/cuda/streams/kernel.cuh"

namespace terrace::stencil {

/// The launches of the kernel of S.
template <class S>
struct StreamLauncher {
  using Task = typename S::Task;
  static constexpr measured::StreamSizes sizes = S::sizes;

  /// Loads the kernel of rows that are aligned, or not (StreamRows).
  /// @return thread blocks of so many warps that are resident on the device at a time
  static unsigned resident_blocks(unsigned warps, bool aligned) {
    return aligned ? resident_blocks<S>(warps) : resident_blocks<ByValues>(warps);
  }

  /// @param warps that make levels
  static void launch(unsigned blocks, unsigned warps, cudaStream_t stream, const StencilState* state,
                     const Task& task) {
    if (task.aligned != 0) launch<S>(blocks, warps, stream, state, task);
    else launch<ByValues>(blocks, warps, stream, state, task);
  }

 private:
  /// For rows that bulk copies cannot move.
  static constexpr measured::StreamSizes values_sizes() {
    measured::StreamSizes sizes = S::sizes;
    sizes.moving = measured::Moving::values;
    // Their batches take longer to come.
    sizes.slots = sizes.slots < 4 ? 4 : sizes.slots;
    return sizes;
  }
  using ByValues = typename S::template Resized<values_sizes()>;

  template <class Moved>
  static unsigned threads(unsigned warps) {
    return 32 * (Moved::by_bulk ? warps : warps + 1);
  }
  template <class Moved>
  static unsigned resident_blocks(unsigned warps) {
    return device::resident_blocks(device::make_kernel(stream_kernel<Moved>, "stream_kernel"), threads<Moved>(warps),
                                   Moved::shared_bytes);
  }
  template <class Moved>
  static void launch(unsigned blocks, unsigned warps, cudaStream_t stream, const StencilState* state,
                     const Task& task) {
    device::launch(
        device::make_kernel(stream_kernel<Moved>, "stream_kernel"),
        {.blocks = blocks, .threads = threads<Moved>(warps), .shared_bytes = Moved::shared_bytes, .stream = stream},
        state, task);
  }
};

}  // namespace terrace::stencil
