// Graphs on CUDA, node after node, or in strips that stay in the L2 cache.
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

/// The same, but for iterations whose rows stream through registers, several steps at once (plan_stream()).
std::unique_ptr<device::BlockKernel> make_streamed_cuda(const GraphSpec& spec, device::Context& context,
                                                        void* workspace);

/// A kernel that makes rows of several nodes in turn, as times_of(spec) says. Else as plain.
std::unique_ptr<device::BlockKernel> make_ktiler_cuda(const GraphSpec& spec, device::Context& context,
                                                      void* workspace);

}  // namespace terrace::graph
