// The methods of graphs (launch/method.hpp). Their cost is of a cell of the kept node with the most rows.
#pragma once

#include <memory>
#include <span>

#include "kernels/graph/graph.hpp"
#include "kernels/launch/method.hpp"

namespace terrace::graph {

using GraphMethod = device::Method<GraphSpec>;

/// All methods. Their kernels take blocks in any order: descriptors are GraphTask, results GraphResult. Kernels of
/// several graphs may share a workspace: between two launches it keeps nothing.
std::span<const GraphMethod> graph_methods();

/// The methods on CUDA; empty without the toolkit.
std::span<const GraphMethod> graph_cuda_methods();

/// True if CUDA computes the nodes of an operator, by its number.
bool is_on_cuda(int op);

/// Memory in which kernels of all these specs may compute on the CPU, one at a time.
std::shared_ptr<Rooms> rooms_for(std::span<const GraphSpec> specs);

}  // namespace terrace::graph
