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

std::string key_of(const WrittenFormula& formula) {
  return std::to_string(formula.sources.size()) + " sources: " + formula.cells->canonical();
}

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

WrittenModule::WrittenModule(const Composition& all, device::Context& context) : type_(all.graph->type) {
  source_.text =
      "#include \"kernels/graph/cuda/streamed/kernel.cuh\"\n#include \"kernels/graph/cuda/written/kernel.cuh\"\n"
      "namespace terrace::graph {\n";
  const std::vector<int> cluster = cluster_of_values(all);
  for (int value = 0; value < all.graph->values(); ++value) {
    if (all.graph->is_node(value) && cluster[at_value(value)] < 0) add(written_formula(all.graph->node(value)));
  }
  for (const auto& [value, choice] : all.iterations) {
    const Iteration& iteration = *all.graph->node(value).settings.iteration;
    if (choice.by == StepsBy::streaming) add_streamed(iteration, choice.streamed);
    if (choice.by == StepsBy::launches || choice.by == StepsBy::strips) add_body(iteration);
  }
  if (keys_.empty()) return;
  source_.text += "}  // namespace terrace::graph\n";
  if (context.modules() == nullptr) throw DeviceError("graph", "there is no place for kernels of formulas");
  module_ = context.modules()->module(source_, context);
}

/// Adds the cell of a formula, unless it is there. @return its name
std::string WrittenModule::add_cell(const WrittenFormula& formula) {
  const std::string key = key_of(formula);
  const auto at = std::ranges::find(cells_, key);
  const std::string name = "Cell" + std::to_string(at - cells_.begin());
  if (at != cells_.end()) return name;
  source_.text += cell_source(name, *formula.cells, static_cast<int>(formula.sources.size()),
                              type_ == ElementType::f32 ? "float" : "double");
  cells_.push_back(key);
  return name;
}

/// Adds the kernel of a formula, if it is one.
void WrittenModule::add(const WrittenFormula& formula) {
  if (formula.cells == nullptr || std::ranges::find(keys_, key_of(formula)) != keys_.end()) return;
  source_.kernels.push_back("terrace::graph::make_written_kernel<terrace::graph::" + add_cell(formula) + ">");
  keys_.push_back(key_of(formula));
}

void WrittenModule::add_body(const Iteration& iteration) {
  if (iteration.joined) return add(written_formula(iteration));
  for (const Node& node : iteration.body.nodes) add(written_formula(node));
}

void WrittenModule::add_streamed(const Iteration& iteration, const StreamedPlan& plan) {
  const std::string key = key_of_streamed(iteration, plan);
  if (std::ranges::find(keys_, key) != keys_.end()) return;
  const std::string name = "Streamed" + std::to_string(keys_.size());
  source_.text += streamed_cell_source(name, add_cell(written_formula(iteration)), iteration, plan);
  source_.kernels.push_back(streamed_kernel_name(name, plan));
  keys_.push_back(key);
}

const void* WrittenModule::kernel(const WrittenFormula& formula) const { return kernel(key_of(formula)); }

const void* WrittenModule::streamed_kernel(const Iteration& iteration, const StreamedPlan& plan) const {
  return kernel(key_of_streamed(iteration, plan));
}

const void* WrittenModule::kernel(const std::string& key) const {
  const auto at = std::ranges::find(keys_, key);
  return at == keys_.end() ? nullptr : module_->kernel(static_cast<std::size_t>(at - keys_.begin()));
}

}  // namespace terrace::graph
