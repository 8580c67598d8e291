#include "kernels/graph/methods.hpp"

#include <algorithm>
#include <string_view>

#include "kernels/graph/cpu/compiled_cells.hpp"
#include "kernels/graph/cpu/plain.hpp"
#include "kernels/graph/iteration.hpp"
#include "kernels/graph/measured.hpp"
#include "kernels/graph/operators.hpp"

namespace terrace::graph {
namespace {

using device::Backend;
using device::Cost;
using device::Limits;

double cells_of(Shape shape) { return static_cast<double>(shape.rows) * static_cast<double>(shape.columns); }

/// Values that are read for a cell of the kept node with the most rows.
struct Reads {
  double operators = 0, formulas = 0;
};

/// Adds what a cell of a node reads, times a weight.
void add_reads(Reads& all, const Graph& graph, const Node& node, double weight) {
  constexpr double most = (2 * most_radius + 1) * (2 * most_radius + 1), corners = 4;
  const i64 row = node.shape.rows / 2, column = node.shape.columns / 2;
  if (node.settings.iteration) {
    const Iteration& iteration = *node.settings.iteration;
    const double steps = static_cast<double>(iteration.times) / static_cast<double>(iteration.states());
    for (const Node& inner : iteration.body.nodes) add_reads(all, iteration.body, inner, weight * steps);
    return;
  }
  for (std::size_t n = 0; n < node.operands.size(); ++n) {
    const Area area = reach_of(graph, node, static_cast<int>(n), {{row, row + 1}, {column, column + 1}});
    const double own = static_cast<double>(area.rows.size()) * static_cast<double>(area.columns.size());
    // A warp may reach everything.
    (node.settings.formula ? all.formulas : all.operators) += weight * (own <= most ? own : corners);
  }
}

/// Each node is made by a pass over its operands. @param formula_reads of a core in a second
Cost cost_by_reads(const GraphSpec& spec, const Limits& limits, double formula_reads) {
  const Graph& graph = *spec.graph;
  double cells = 0, kept = 1;
  Reads reads, step_rows;
  for (const Node& node : graph.nodes) {
    cells += cells_of(node.shape);
    add_reads(reads, graph, node, cells_of(node.shape));
    if (node.settings.iteration) add_reads(step_rows, graph, node, static_cast<double>(node.shape.rows));
  }
  for (std::size_t n = 0; n < graph.targets(); ++n) kept = std::max(kept, cells_of(graph.shape(graph.target(n))));
  for (const Reduction& own : graph.reductions) reads.operators += cells_of(graph.shape(own.value));
  const auto size = static_cast<double>(size_of(graph.type));
  const double seconds = reads.operators / measured::plain_reads + reads.formulas / formula_reads +
                         (step_rows.operators + step_rows.formulas) * measured::step_row_seconds;
  return {.seconds = seconds / kept * size / 4 / std::max(1, limits.processors), .bytes = 3 * size * cells / kept};
}

Cost plain_cost(const GraphSpec& spec, const Limits& limits) {
  return cost_by_reads(spec, limits, measured::strip_reads);
}

Cost compiled_cost(const GraphSpec& spec, const Limits& limits) {
  Cost cost = cost_by_reads(spec, limits, measured::compiled_reads);
  double kept = 1;
  for (std::size_t n = 0; n < spec.graph->targets(); ++n)
    kept = std::max(kept, cells_of(spec.graph->shape(spec.graph->target(n))));
  cost.seconds += measured::compile_seconds / kept;
  return cost;
}

std::string unfit_without_compiler(const GraphSpec& spec, const Limits&) {
  if (!has_formulas(*spec.graph)) return "no node is a formula";
  return spec.compiler.command.empty() ? spec.compiler.why_none : "";
}

std::size_t cpu_bytes(const GraphSpec& spec, const Limits& limits) {
  return plain_cpu_bytes(spec, std::max(1, limits.processors));
}

constexpr GraphMethod cpu_methods[] = {
    {.name = "compiled",
     .help = "node after node, formulas by the compiler of C++ of this machine",
     .backend = Backend::cpu,
     .schedule = "plain",
     .automatic = true,
     .unfit = unfit_without_compiler,
     .cost = compiled_cost,
     .workspace = cpu_bytes,
     .make = [](const GraphSpec& spec, device::Context& context, void*) { return make_compiled_cpu(spec, context); }},
    {.name = "plain",
     .help = "node after node, over the rows that a slab of the kept nodes needs",
     .backend = Backend::cpu,
     .schedule = "plain",
     .automatic = true,
     .unfit = device::never_unfit,
     .cost = plain_cost,
     .workspace = cpu_bytes,
     .make = [](const GraphSpec& spec, device::Context& context, void*) { return make_plain_cpu(spec, context); }}};

}  // namespace

const GraphMethod* graph_method_instead(const GraphMethod& method) {
  const bool is_compiled = method.backend == Backend::cpu && std::string_view(method.name) == "compiled";
  return is_compiled ? device::find_method(graph_methods(), Backend::cpu, "plain") : nullptr;
}

i64 pass_steps_of(const GraphMethod& method, const GraphSpec& spec, const Limits& limits) {
  return method.backend == Backend::cpu ? 1 : cuda_pass_steps_of(method, spec, limits);
}

std::vector<std::string> composition_in_words(const GraphMethod& method, const GraphSpec& spec,
                                              const Limits& limits) {
  if (method.backend == Backend::cpu) return {};
  return cuda_composition_in_words(method, spec, limits);
}

std::span<const GraphMethod> graph_methods() {
  static const auto all = device::joined_methods<GraphSpec>(graph_cuda_methods(), cpu_methods);
  return all;
}

}  // namespace terrace::graph
