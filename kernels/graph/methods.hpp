// The methods of graphs (launch/method.hpp). Their cost is of a cell of the kept node with the most rows.
#pragma once

#include <span>

#include "kernels/graph/graph.hpp"
#include "kernels/launch/method.hpp"

namespace terrace::graph {

using GraphMethod = device::Method<GraphSpec>;

/// All methods. Their kernels take blocks in any order: descriptors are GraphTask, results GraphResult.
std::span<const GraphMethod> graph_methods();

/// Those on CUDA; empty without the toolkit.
std::span<const GraphMethod> graph_cuda_methods();

}  // namespace terrace::graph
