// Graphs on CUDA, node after node.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/device/context.hpp"
#include "kernels/graph/graph.hpp"
#include "kernels/launch/block_kernel.hpp"

namespace terrace::graph {

/// A kernel that makes all rows of a node that a slab needs, by a launch, before the next node. All blocks of a
/// launch are ready before it is submitted. @param workspace plain_cuda_bytes(spec) bytes of device memory
std::unique_ptr<device::BlockKernel> make_plain_cuda(const GraphSpec& spec, device::Context& context,
                                                     void* workspace);

std::size_t plain_cuda_bytes(const GraphSpec& spec);

}  // namespace terrace::graph
