// Graphs on CUDA by the launches of a composition.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/device/context.hpp"
#include "kernels/graph/cuda/composition.hpp"
#include "kernels/launch/block_kernel.hpp"

namespace terrace::graph {

/// A kernel that makes all rows that a slab needs. All blocks of a launch are ready before it is submitted.
/// @param workspace composed_cuda_bytes() bytes of device memory @throws DeviceError
std::unique_ptr<device::BlockKernel> make_composed_cuda(const GraphSpec& spec, Schedule schedule,
                                                        device::Context& context, void* workspace);

std::size_t composed_cuda_bytes(const GraphSpec& spec, Schedule schedule, const device::Limits& limits);

}  // namespace terrace::graph
