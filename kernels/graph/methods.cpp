#include "kernels/graph/methods.hpp"

#include <algorithm>

#include "kernels/graph/cpu/plain.hpp"
#include "kernels/graph/iteration.hpp"
#include "kernels/graph/measured.hpp"
#include "kernels/graph/operator_list.hpp"
#include "kernels/graph/operators.hpp"

namespace terrace::graph {
namespace {

using device::Backend;
using device::Cost;
using device::Limits;

double cells_of(Shape shape) { return static_cast<double>(shape.rows) * static_cast<double>(shape.columns); }

/// Values that a cell of a node reads.
double reads_of(const Graph& graph, const Node& node) {
  constexpr double most = (2 * most_radius + 1) * (2 * most_radius + 1), corners = 4;
  const i64 row = node.shape.rows / 2, column = node.shape.columns / 2;
  double reads = 0;
  if (node.settings.iteration) {
    const Iteration& iteration = *node.settings.iteration;
    for (const Node& inner : iteration.body.nodes) reads += reads_of(iteration.body, inner);
    return reads * static_cast<double>(iteration.times) / static_cast<double>(iteration.states());
  }
  for (std::size_t n = 0; n < node.operands.size(); ++n) {
    const Area area = reach_of(graph, node, static_cast<int>(n), {{row, row + 1}, {column, column + 1}});
    const double own = static_cast<double>(area.rows.size()) * static_cast<double>(area.columns.size());
    reads += own <= most ? own : corners;  // a warp may reach everything
  }
  return reads;
}

/// Each node is made by a pass over its operands.
Cost plain_cost(const GraphSpec& spec, const Limits& limits) {
  const Graph& graph = *spec.graph;
  double cells = 0, reads = 0, kept = 1;
  for (const Node& node : graph.nodes) {
    cells += cells_of(node.shape);
    reads += cells_of(node.shape) * reads_of(graph, node);
  }
  for (std::size_t n = 0; n < graph.targets(); ++n) kept = std::max(kept, cells_of(graph.shape(graph.target(n))));
  for (const Reduction& own : graph.reductions) reads += cells_of(graph.shape(own.value));
  const auto size = static_cast<double>(size_of(graph.type));
  return {.seconds = reads / kept * size / 4 / (measured::plain_reads * std::max(1, limits.processors)),
          .bytes = 3 * size * cells / kept};
}

constexpr GraphMethod cpu_methods[] = {
    {.name = "plain",
     .help = "node after node, over the rows that a slab of the kept nodes needs",
     .backend = Backend::cpu,
     .schedule = "plain",
     .automatic = true,
     .unfit = device::never_unfit,
     .cost = plain_cost,
     .workspace = [](const GraphSpec& spec,
                     const Limits& limits) { return plain_cpu_bytes(spec, std::max(1, limits.processors)); },
     .make = [](const GraphSpec& spec, device::Context& context, void*) { return make_plain_cpu(spec, context); }}};

}  // namespace

bool is_on_cuda(int op) { return op < Operators::size || operators()[static_cast<std::size_t>(op)].is_reduction; }

std::span<const GraphMethod> graph_methods() {
  static const auto all = device::joined_methods<GraphSpec>(graph_cuda_methods(), cpu_methods);
  return all;
}

}  // namespace terrace::graph
