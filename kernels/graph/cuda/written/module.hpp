// The formulas of a graph as kernels that are compiled at run time, all in one module.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/compiled/module.hpp"
#include "kernels/device/context.hpp"
#include "kernels/graph/cuda/composition.hpp"
#include "kernels/graph/graph.hpp"
#include "kernels/graph/written_formula.hpp"

namespace terrace::graph {

/// The reason why the formulas of a graph have no kernels; empty: they have.
std::string why_not_written(const Graph& graph);

/// The kernels of the formulas of a graph, its iterations and their bodies, but for those that clusters make.
class WrittenModule {
 public:
  /// Compiles them, if there are some. @throws DeviceError
  WrittenModule(const Composition& all, device::Context& context);

  /// The kernel of a formula of the graph (cuda/written/kernel.cuh); null: it has none.
  const void* kernel(const WrittenFormula& formula) const;
  /// The kernel of an iteration whose rows stream (cuda/streamed/kernel.cuh).
  const void* streamed_kernel(const Iteration& iteration, const StreamedPlan& plan) const;

 private:
  std::string add_cell(const WrittenFormula& formula);
  void add(const WrittenFormula& formula);
  void add_body(const Iteration& iteration);
  void add_streamed(const Iteration& iteration, const StreamedPlan& plan);
  const void* kernel(const std::string& key) const;

  ElementType type_;
  compiled::Source source_;
  std::vector<std::string> cells_;  // keys of the cells
  std::vector<std::string> keys_;   // of the kernels
  std::shared_ptr<const compiled::Module> module_;
};

}  // namespace terrace::graph
