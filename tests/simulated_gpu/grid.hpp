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

/// Bytes of shared memory that a launch may give a thread block. TERRACE_SIMULATED_SHARED_KIBIBYTES, or 227 KiB.
std::size_t most_shared_bytes();

/// True if a multiprocessor holds a thread block of the shape.
bool fits(const GridShape& shape);

/// Submits a grid to the stream: `thread` is called once for every CUDA thread.
cudaError_t launch(const GridShape& shape, std::function<void()> thread, cudaStream_t stream);

}  // namespace simulated_gpu
