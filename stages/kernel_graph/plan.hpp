// A graph of kernels as a plan of blocks: slabs of rows of its kept nodes.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kernels/graph/methods.hpp"
#include "kernels/graph/task.hpp"
#include "pipeline/run/plan.hpp"
#include "stages/block_memory.hpp"
#include "stages/kernel_graph/definition.hpp"

namespace terrace::stages {

/// One phase of blocks that depend on nothing but inputs: each reads the rows of the inputs on which its rows of the
/// kept nodes depend. Rows that two slabs depend on are made twice.
class GraphPlan : public run::Plan {
 public:
  /// @param slab_rows of the kept node with the most rows
  GraphPlan(GraphDefinition definition, std::int64_t slab_rows, const graph::GraphMethod& method);

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t) const override { return false; }
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  std::size_t descriptor_bytes() const override { return sizeof(graph::GraphTask); }
  std::size_t result_bytes() const override { return sizeof(graph::GraphResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  /// The descriptor of a block.
  graph::GraphTask task(const run::Phase& phase, const run::BlockView& view) const;

  const GraphDefinition& definition() const { return definition_; }
  const graph::Graph& graph() const { return *spec_.graph; }
  const graph::GraphSpec& spec() const { return spec_; }
  const graph::GraphMethod& method() const { return method_; }
  /// The kept node of an array of the plan; nullopt for an input.
  std::optional<std::size_t> kept_of(int array) const;
  /// Cells of the kept node with the most rows.
  double cells() const;
  /// The memory of a block, the largest of a few, without the kernel's workspace.
  BlockMemory block_memory() const;

 private:
  void add_inputs();
  void add_kept();
  int array_of_kept(std::size_t kept) const { return static_cast<int>(graph().inputs.size() + kept); }

  GraphDefinition definition_;
  graph::GraphSpec spec_;
  const graph::GraphMethod& method_;
  std::vector<run::ArraySpec> arrays_;
};

}  // namespace terrace::stages
