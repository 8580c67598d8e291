#include "kernels/graph/cuda/written/module.hpp"

#include <algorithm>
#include <bit>

#include "kernels/compiled/compiler.hpp"
#include "kernels/compiled/store.hpp"
#include "kernels/graph/cuda/written/work.hpp"
#include "kernels/graph/iteration.hpp"
#include "kernels/graph/print_cell.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::graph {
namespace {

/// The formulas of a graph, some more than once.
std::vector<WrittenFormula> formulas_of(const Graph& graph) {
  std::vector<WrittenFormula> all;
  const auto add = [&](WrittenFormula formula) {
    if (formula.cells != nullptr) all.push_back(std::move(formula));
  };
  for (const Node& node : graph.nodes) {
    add(written_formula(node));
    if (!node.settings.iteration) continue;
    const Iteration& iteration = *node.settings.iteration;
    add(written_formula(iteration));
    for (const Node& inner : iteration.body.nodes) {
      if (!iteration.joined) add(written_formula(inner));
    }
  }
  return all;
}

std::string key_of(const WrittenFormula& formula) {
  return std::to_string(formula.sources.size()) + " sources: " + formula.cells->canonical();
}

const char* type_of(const Graph& graph) { return graph.type == ElementType::f32 ? "float" : "double"; }

/// Kernels that stream depend on the operands and the boundaries of the sources, too.
std::string key_of_streamed(const Iteration& iteration, const StreamedPlan& plan) {
  std::string key = streamed_kernel_name("of " + std::to_string(iteration.states()), plan) + ' ';
  for (const FormulaSource& source : iteration.joined->sources) {
    key += std::to_string(source.operand) + ' ' + std::to_string(static_cast<int>(source.boundary)) + ' ' +
           std::to_string(std::bit_cast<std::uint64_t>(source.boundary_value)) + ' ';
  }
  return key + iteration.joined->cells.canonical();
}

}  // namespace

WrittenFormula written_formula(const Node& node) {
  if (!node.settings.formula) return {nullptr, {}};
  WrittenFormula made{&node.settings.formula->cells, {}};
  for (int operand = 0; operand < std::ssize(node.operands); ++operand) {
    made.sources.push_back({operand, node.settings.boundary, node.settings.boundary_value});
  }
  return made;
}

WrittenFormula written_formula(const Iteration& iteration) {
  if (!iteration.joined) return {nullptr, {}};
  return {&iteration.joined->cells, iteration.joined->sources};
}

std::string why_not_written(const Graph& graph) {
  const std::vector<WrittenFormula> all = formulas_of(graph);
  for (const WrittenFormula& formula : all) {
    if (formula.sources.size() <= std::size_t{most_sources} && formula.cells->results().size() <= most_results)
      continue;
    return "an iteration has more than " + std::to_string(most_results) + " states, or its formulas read more than " +
           std::to_string(most_sources) + " arrays";
  }
  return all.empty() ? "" : compiled::Compiler::why_missing();
}

WrittenModule::WrittenModule(const Graph& graph, device::Context& context, bool streams) {
  source_.text =
      "#include \"kernels/graph/cuda/streamed/kernel.cuh\"\n#include \"kernels/graph/cuda/written/kernel.cuh\"\n"
      "namespace terrace::graph {\n";
  for (const WrittenFormula& formula : formulas_of(graph)) add_cell(formula, graph);
  for (const Node& node : graph.nodes) {
    if (streams && node.settings.iteration) add_streamed(*node.settings.iteration, graph, context.limits());
  }
  if (keys_.empty()) return;
  source_.text += "}  // namespace terrace::graph\n";
  if (context.modules() == nullptr) throw DeviceError("graph", "there is no place for kernels of formulas");
  module_ = context.modules()->module(source_, context);
}

/// Adds a formula, unless it is there. @return the name of its cell
std::string WrittenModule::add_cell(const WrittenFormula& formula, const Graph& graph) {
  const std::string key = key_of(formula);
  const auto at = std::ranges::find(keys_, key);
  const std::string name = "Cell" + std::to_string(at - keys_.begin());
  if (at != keys_.end()) return name;
  source_.text += cell_source(name, *formula.cells, static_cast<int>(formula.sources.size()), type_of(graph));
  source_.kernels.push_back("terrace::graph::make_written_kernel<terrace::graph::" + name + ">");
  keys_.push_back(key);
  return name;
}

void WrittenModule::add_streamed(const Iteration& iteration, const Graph& graph, const device::Limits& limits) {
  const StreamedPlan plan = plan_stream(iteration, limits);
  if (!plan.unfit.empty()) return;
  const std::string key = key_of_streamed(iteration, plan);
  if (std::ranges::find(keys_, key) != keys_.end()) return;
  const std::string name = "Streamed" + std::to_string(keys_.size());
  source_.text += streamed_cell_source(name, add_cell(written_formula(iteration), graph), iteration, plan);
  source_.kernels.push_back(streamed_kernel_name(name, plan));
  keys_.push_back(key);
}

const void* WrittenModule::kernel(const WrittenFormula& formula) const { return kernel(key_of(formula)); }

const void* WrittenModule::streamed_kernel(const Iteration& iteration, const StreamedPlan& plan) const {
  return plan.unfit.empty() ? kernel(key_of_streamed(iteration, plan)) : nullptr;
}

const void* WrittenModule::kernel(const std::string& key) const {
  const auto at = std::ranges::find(keys_, key);
  return at == keys_.end() ? nullptr : module_->kernel(static_cast<std::size_t>(at - keys_.begin()));
}

}  // namespace terrace::graph
