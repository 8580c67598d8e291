// The steps around the blocks of stencils on CUDA: the check that a block is begun, and its report.
#pragma once

#include "kernels/launch/port.cuh"
#include "kernels/stencil/task.hpp"

namespace terrace::stencil {

using device::u64;

/// State that the kernels of one block share, in device memory.
struct StencilState {
  u64 begun;                         // 0: the launch was stopped, and the block's kernels do nothing
  double total;                      // of changes
  u64 not_finite, first_not_finite;  // NotFinite
  StencilTask task;
};

/// One warp: begins block `block` unless the launch is to stop or has stopped before it, and fetches its descriptor.
/// T is a type of values, so that sources of different types have kernels of their own.
template <class T>
__global__ void begin_block_kernel(device::Port port, StencilState* state, u64 block) {
  if (threadIdx.x == 0) {
    const bool begun = device::begin_next(port, block, state->begun);
    state->begun = begun ? 1 : 0;
    state->total = 0;
    state->not_finite = 0;
    state->first_not_finite = NotFinite::none;
  }
  const auto* from = reinterpret_cast<const u64*>(static_cast<const device::u8*>(port.descriptors) +
                                                  block % port.ring * port.descriptor_bytes);
  auto* to = reinterpret_cast<u64*>(&state->task);
  for (device::u32 at = threadIdx.x; at < sizeof(StencilTask) / sizeof(u64); at += blockDim.x) {
    to[at] = device::load_system(from + at);
  }
}

/// One thread: reports block `block`, the launch's first one that is not reported.
template <class T>
__global__ void report_block_kernel(device::Port port, const StencilState* state, u64 block) {
  if (state->begun == 0) return;
  const NotFinite found{static_cast<i64>(state->not_finite), static_cast<i64>(state->first_not_finite)};
  *device::result_of<StencilResult>(port, block) = {state->total, found};
  device::report_next(port, block);
}

}  // namespace terrace::stencil
