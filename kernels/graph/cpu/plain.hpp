// Graphs on the CPU, node after node.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/device/context.hpp"
#include "kernels/graph/graph.hpp"
#include "kernels/launch/block_kernel.hpp"

namespace terrace::graph {

/// A kernel that makes all rows of a node that a slab needs before the next node, its threads sharing the rows.
std::unique_ptr<device::BlockKernel> make_plain_cpu(const GraphSpec& spec, device::Context& context);

/// The same, with formulas compiled, or taken from the context's store. @throws compiled::NotCompiled; IoError
std::unique_ptr<device::BlockKernel> make_compiled_cpu(const GraphSpec& spec, device::Context& context);

/// Bytes of host memory that the kernel allocates.
std::size_t plain_cpu_bytes(const GraphSpec& spec, int threads);

}  // namespace terrace::graph
