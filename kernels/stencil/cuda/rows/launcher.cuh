// Launches a kernel that streams rows (kernel.cuh).
#pragma once

#include "kernels/launch/launch.cuh"
#include "kernels/stencil/cuda/rows/kernel.cuh"

namespace terrace::stencil {

/// The launches of a kernel that streams rows: where bulk copies move them (StreamRows::aligned), and elsewhere.
template <class Task>
class StreamLauncher {
 public:
  using Kernel = device::Kernel<const StencilState*, Task>;

  /// A kernel of one shape; without a function: it was not compiled, since no launch needs it.
  struct Moved {
    Kernel kernel;
    std::size_t shared_bytes;
    unsigned movers;  // warps that make no levels
  };
  template <class S>
  static Moved moved(const Kernel& kernel) {
    return {kernel, S::shared_bytes, S::by_bulk ? 0u : 1u};
  }

  StreamLauncher(const Moved& in_bulk, const Moved& by_values) : in_bulk_(in_bulk), by_values_(by_values) {}

  /// Loads a kernel. @return thread blocks of so many warps that are resident on the device at a time
  unsigned resident_blocks(unsigned warps, bool aligned) const {
    const Moved& moved = aligned ? in_bulk_ : by_values_;
    if (moved.kernel.function == nullptr) return 1;
    return device::resident_blocks(moved.kernel, 32 * (warps + moved.movers), moved.shared_bytes);
  }

  /// @param warps that make levels
  void launch(unsigned blocks, unsigned warps, cudaStream_t stream, const StencilState* state,
              const Task& task) const {
    const Moved& moved = task.aligned != 0 ? in_bulk_ : by_values_;
    if (moved.kernel.function == nullptr) throw DeviceError("stencil", "there is no kernel for where rows begin");
    device::launch(moved.kernel,
                   {.blocks = blocks,
                    .threads = 32 * (warps + moved.movers),
                    .shared_bytes = moved.shared_bytes,
                    .stream = stream},
                   state, task);
  }

 private:
  Moved in_bulk_, by_values_;
};

/// The launches of the kernels of S that were compiled at run time, of another formula that has the sizes of S.
template <class S>
StreamLauncher<typename S::Task> stream_launcher(const typename StreamLauncher<typename S::Task>::Kernel& in_bulk,
                                                 const typename StreamLauncher<typename S::Task>::Kernel& by_values) {
  using Launcher = StreamLauncher<typename S::Task>;
  return {Launcher::template moved<S>(in_bulk),
          Launcher::template moved<typename StreamByValues<S>::Shape>(by_values)};
}
/// The launches of the kernels of S.
template <class S>
StreamLauncher<typename S::Task> stream_launcher() {
  return stream_launcher<S>(device::make_kernel(stream_kernel<S>, "stream_kernel"),
                            device::make_kernel(stream_kernel<typename StreamByValues<S>::Shape>, "stream_kernel"));
}

}  // namespace terrace::stencil
