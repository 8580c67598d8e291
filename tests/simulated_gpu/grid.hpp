// Launches of the simulated device.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>

namespace simulated_gpu {

/// Multiprocessors of a device; each holds one thread block at a time. TERRACE_SIMULATED_PROCESSORS, or 4.
int processors();

/// Thread blocks, threads of each, and bytes of shared memory whose size the launch gives.
struct GridShape {
  unsigned blocks, threads;
  std::size_t shared_bytes;
};

/// Whether a multiprocessor holds a thread block of the shape.
bool fits(const GridShape& shape);

/// Submits a grid to the stream: `thread` is called once for every CUDA thread.
cudaError_t launch(const GridShape& shape, std::function<void()> thread, cudaStream_t stream);

}  // namespace simulated_gpu
