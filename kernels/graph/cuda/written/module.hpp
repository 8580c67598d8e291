// The formulas of a graph as kernels that are compiled at run time, all in one module.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/compiled/module.hpp"
#include "kernels/device/context.hpp"
#include "kernels/graph/cuda/streamed/plan.hpp"
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

/// The reason why the formulas of a graph have no kernels; empty: they have.
std::string why_not_written(const Graph& graph);

/// The kernels of the formulas of a graph, its iterations and their bodies.
class WrittenModule {
 public:
  /// Compiles them, if there are some. @param streams true if iterations have kernels whose rows stream, where these
  /// are fit @throws DeviceError
  WrittenModule(const Graph& graph, device::Context& context, bool streams);

  /// The kernel of a formula of the graph (cuda/written/kernel.cuh).
  const void* kernel(const WrittenFormula& formula) const;
  /// The kernel of an iteration whose rows stream (cuda/streamed/kernel.cuh); null: it has none.
  const void* streamed_kernel(const Iteration& iteration, const StreamedPlan& plan) const;

 private:
  std::string add_cell(const WrittenFormula& formula, const Graph& graph);
  void add_streamed(const Iteration& iteration, const Graph& graph, const device::Limits& limits);
  const void* kernel(const std::string& key) const;

  compiled::Source source_;
  std::vector<std::string> keys_;  // of the kernels
  std::shared_ptr<const compiled::Module> module_;
};

}  // namespace terrace::graph
