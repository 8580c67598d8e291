#include "kernels/graph/written_formula.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kernels/graph/iteration.hpp"

namespace terrace::graph {

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
    if (!iteration.joined) std::ranges::move(formulas_of(iteration.body), std::back_inserter(all));
  }
  return all;
}

}  // namespace terrace::graph
