// Graphs on CUDA, clusters of nodes by one kernel each, which is compiled at run time.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/device/context.hpp"
#include "kernels/graph/graph.hpp"
#include "kernels/launch/block_kernel.hpp"

namespace terrace::graph {

/// A kernel that makes clusters, and other nodes as the method `plain` does. All blocks of a launch are ready before
/// it is submitted. @param workspace fused_cuda_bytes(spec) bytes of device memory @throws DeviceError
std::unique_ptr<device::BlockKernel> make_fused_cuda(const GraphSpec& spec, device::Context& context,
                                                     void* workspace);

std::size_t fused_cuda_bytes(const GraphSpec& spec);

}  // namespace terrace::graph
