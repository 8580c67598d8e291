// The methods of graphs (launch/method.hpp). Their cost is of a cell of the kept node with the most rows.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/graph/graph.hpp"
#include "kernels/launch/method.hpp"

namespace terrace::graph {

using GraphMethod = device::Method<GraphSpec>;

/// All methods. Their kernels take blocks in any order: descriptors are GraphTask, results GraphResult. Kernels of
/// several graphs may share a workspace: between two launches it keeps nothing.
std::span<const GraphMethod> graph_methods();

/// The methods on CUDA; empty without the toolkit.
std::span<const GraphMethod> graph_cuda_methods();

/// The method that computes the same as one whose formulas could not be compiled; null: none does.
const GraphMethod* graph_method_instead(const GraphMethod& method);

/// The steps of a pass of iterations by which slabs of a method may hand rows on (GraphSpec::pass_steps); 0: they
/// hand none on.
i64 pass_steps_of(const GraphMethod& method, const GraphSpec& spec, const device::Limits& limits);
/// The same of a method on CUDA.
i64 cuda_pass_steps_of(const GraphMethod& method, const GraphSpec& spec, const device::Limits& limits);

/// Lines about the groups of nodes that one kernel makes: their names, and the values and bytes that it moves; and
/// about iterations that make steps together.
std::vector<std::string> composition_in_words(const GraphMethod& method, const GraphSpec& spec,
                                              const device::Limits& limits);
/// The same of a method on CUDA.
std::vector<std::string> cuda_composition_in_words(const GraphMethod& method, const GraphSpec& spec,
                                                   const device::Limits& limits);

/// Memory in which kernels of all these specs may compute on the CPU, one at a time.
/// @param workspace bytes of which others make do
std::shared_ptr<Rooms> rooms_for(std::span<const GraphSpec> specs, std::size_t workspace = 0);

}  // namespace terrace::graph
