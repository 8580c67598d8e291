// The source of the kernels of a cluster.
#pragma once

#include "kernels/compiled/compiler.hpp"
#include "kernels/graph/clusters/cluster.hpp"

namespace terrace::graph {

/// Kernel 0 streams rows (fused/stream_kernel.cuh), kernel 1 makes the rim (fused/rim_kernel.cuh).
/// @param is_checked of each value that is read, whether it is looked through for NaN @param blocks as
/// Cluster::blocks
compiled::Source source_of(const Graph& graph, const Cluster& cluster, const std::vector<bool>& is_checked,
                           int blocks);

}  // namespace terrace::graph
