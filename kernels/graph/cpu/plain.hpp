// Graphs on the CPU, node after node.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "kernels/device/context.hpp"
#include "kernels/graph/graph.hpp"
#include "kernels/launch/block_kernel.hpp"

namespace terrace::graph {

/// A kernel that makes all rows of a node that a slab needs before the next node, its threads sharing the rows.
std::unique_ptr<device::BlockKernel> make_plain_cpu(const GraphSpec& spec, device::Context& context);

/// Memory in which the kernels of all these specs may compute, one at a time.
std::shared_ptr<Rooms> rooms_for(std::span<const GraphSpec> specs);

/// Bytes of host memory that the kernel allocates.
std::size_t plain_cpu_bytes(const GraphSpec& spec);

}  // namespace terrace::graph
