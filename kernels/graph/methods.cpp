#include "kernels/graph/methods.hpp"

#include <algorithm>

#include "kernels/graph/cpu/plain.hpp"
#include "kernels/graph/measured.hpp"

namespace terrace::graph {
namespace {

using device::Backend;
using device::Cost;
using device::Limits;

double cells_of(Shape shape) { return static_cast<double>(shape.rows) * static_cast<double>(shape.columns); }

/// Each node is made by a pass over its operands.
Cost plain_cost(const GraphSpec& spec, const Limits& limits) {
  const Graph& graph = *spec.graph;
  double cells = 0, kept = 1;
  for (const Node& node : graph.nodes) cells += cells_of(node.shape);
  for (const Kept& one : graph.kept) kept = std::max(kept, cells_of(graph.shape(one.value)));
  const auto size = static_cast<double>(size_of(graph.type));
  return {.seconds = cells / kept * size / 4 / (measured::plain_cells * std::max(1, limits.processors)),
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
     .workspace = [](const GraphSpec& spec, const Limits&) { return plain_cpu_bytes(spec); },
     .make = [](const GraphSpec& spec, device::Context& context, void*) { return make_plain_cpu(spec, context); }}};

}  // namespace

std::span<const GraphMethod> graph_methods() { return cpu_methods; }

}  // namespace terrace::graph
