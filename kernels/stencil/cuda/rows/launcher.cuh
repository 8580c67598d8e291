// Launches a kernel that streams rows (kernel.cuh).
#pragma once

#include "kernels/launch/launch.cuh"
#include "kernels/stencil/cuda/rows/kernel.cuh"

namespace terrace::stencil {

/// The launches of the kernels of S: for rows that bulk copies move (StreamRows::aligned), and for others. They may
/// be compiled at run time, of another formula that has the sizes of S.
template <class S>
class StreamLauncher {
 public:
  using Task = typename S::Task;
  using Kernel = device::Kernel<const StencilState*, Task>;

  StreamLauncher()
      : StreamLauncher(device::make_kernel(stream_kernel<S>, "stream_kernel"),
                       device::make_kernel(stream_kernel<ByValues>, "stream_kernel")) {}
  StreamLauncher(const Kernel& in_bulk, const Kernel& by_values) : in_bulk_(in_bulk), by_values_(by_values) {}

  /// Loads a kernel. @return thread blocks of so many warps that are resident on the device at a time
  unsigned resident_blocks(unsigned warps, bool aligned) const {
    return aligned ? device::resident_blocks(in_bulk_, threads<S>(warps), S::shared_bytes)
                   : device::resident_blocks(by_values_, threads<ByValues>(warps), ByValues::shared_bytes);
  }

  /// @param warps that make levels
  void launch(unsigned blocks, unsigned warps, cudaStream_t stream, const StencilState* state,
              const Task& task) const {
    if (task.aligned != 0) launch<S>(in_bulk_, blocks, warps, stream, state, task);
    else launch<ByValues>(by_values_, blocks, warps, stream, state, task);
  }

 private:
  using ByValues = typename StreamByValues<S>::Shape;

  template <class Moved>
  static unsigned threads(unsigned warps) {
    return 32 * (Moved::by_bulk ? warps : warps + 1);
  }
  template <class Moved>
  static void launch(const Kernel& kernel, unsigned blocks, unsigned warps, cudaStream_t stream,
                     const StencilState* state, const Task& task) {
    device::launch(
        kernel,
        {.blocks = blocks, .threads = threads<Moved>(warps), .shared_bytes = Moved::shared_bytes, .stream = stream},
        state, task);
  }

  Kernel in_bulk_, by_values_;
};

}  // namespace terrace::stencil
