// Launches a kernel that streams rows (kernel.cuh).
#pragma once

#include "kernels/launch/launch.cuh"
#include "kernels/stencil/cuda/streams/kernel.cuh"

namespace terrace::stencil {

/// The same sizes with a warp that moves rows.
constexpr measured::StreamSizes with_mover(measured::StreamSizes sizes) {
  sizes.moving = measured::Moving::mover;
  return sizes;
}

/// The launches of the kernel of S.
template <class S>
struct StreamLauncher {
  using Task = typename S::Task;
  static constexpr measured::StreamSizes sizes = S::sizes;

  /// Loads the kernel. @return thread blocks of so many warps that are resident on the device at a time
  static unsigned resident_blocks(unsigned warps) {
    if constexpr (S::by_tensor) WithMover::resident_blocks(warps);
    return device::resident_blocks(kernel(), threads(warps), S::shared_bytes);
  }

  /// @param warps that make levels
  static void launch(unsigned blocks, unsigned warps, cudaStream_t stream, const StencilState* state,
                     const Task& task) {
    const device::LaunchShape shape{
        .blocks = blocks, .threads = threads(warps), .shared_bytes = S::shared_bytes, .stream = stream};
    if constexpr (S::by_tensor) {
      StreamMaps<S::fields> maps{};
      if (make_maps<S>(task, maps)) device::launch(kernel(), shape, state, task, maps);
      else WithMover::launch(blocks, warps, stream, state, task);
    } else {
      device::launch(kernel(), shape, state, task);
    }
  }

 private:
  /// For rows that tensor copies cannot move.
  using WithMover = StreamLauncher<typename S::template Resized<with_mover(S::sizes)>>;

  static unsigned threads(unsigned warps) { return 32 * (S::by_tensor ? warps : warps + 1); }
  static auto kernel() {
    if constexpr (S::by_tensor) return device::make_kernel(tensor_stream_kernel<S>, "tensor_stream_kernel");
    else return device::make_kernel(stream_kernel<S>, "stream_kernel");
  }
};

}  // namespace terrace::stencil
