// The formulas that make nodes of a graph and steps of its iterations.
#pragma once

#include <vector>

#include "kernels/graph/graph.hpp"
#include "kernels/graph/node_formula.hpp"

namespace terrace::graph {

/// A formula, and the sources that it reads. Nodes share formulas that read their sources in the same way.
struct WrittenFormula {
  const formula::Formula* cells;
  std::vector<FormulaSource> sources;
};

/// The formula of a node; without cells: its operator is no formula.
WrittenFormula written_formula(const Node& node);
/// The formula that makes a step of an iteration; without cells: its body's nodes are made one after another.
WrittenFormula written_formula(const Iteration& iteration);

/// The formulas of a graph, and those of the bodies of iterations that have none for a step; some more than once.
std::vector<WrittenFormula> formulas_of(const Graph& graph);

}  // namespace terrace::graph
