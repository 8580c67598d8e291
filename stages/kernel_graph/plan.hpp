// A graph of kernels as a plan of blocks: slabs of rows of the targets of each part.
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

/// A part of the graph with the method that computes it.
struct PlannedPart {
  GraphPart part;
  graph::GraphSpec spec;
  const graph::GraphMethod* method = nullptr;
};

/// One phase for each part. Its blocks depend on inputs and on earlier parts: each reads the rows on which its rows
/// of the targets depend. Rows that two slabs depend on are made twice. Reductions are arrays that the blocks of a
/// part update one after another.
class GraphPlan : public run::Plan {
 public:
  /// @param slab_rows for each part, of its kept node with the most rows @param methods for each part
  GraphPlan(GraphDefinition definition, const std::vector<std::int64_t>& slab_rows,
            const std::vector<const graph::GraphMethod*>& methods);

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t number) const override;
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  std::string part(const run::Phase& phase) const override;
  std::size_t descriptor_bytes() const override { return sizeof(graph::GraphTask); }
  std::size_t result_bytes() const override { return sizeof(graph::GraphResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  /// The descriptor of a block.
  graph::GraphTask task(const run::Phase& phase, const run::BlockView& view) const;

  const GraphDefinition& definition() const { return definition_; }
  const std::vector<PlannedPart>& parts() const { return parts_; }
  /// The values of the whole graph that an array of the plan has; null if it is of a reduction.
  const GraphArray* array(int number) const;
  /// The reduction of the whole graph whose number or counts an array of the plan has, if it is no value's.
  const graph::Reduction& reduction(int array) const;
  /// The memory of a block of a part, the largest of a few, without the kernel's workspace.
  BlockMemory block_memory(std::size_t part) const;

 private:
  void add_array(const GraphArray& array);
  void add_reductions();
  void add_reduced(const run::Phase& phase, std::int64_t index, run::Block& block) const;
  std::int64_t tile_rows(const GraphArray& array) const;

  GraphDefinition definition_;
  std::vector<PlannedPart> parts_;
  std::vector<run::ArraySpec> arrays_;
};

/// Bytes in which the kernels of all parts work.
std::size_t workspace_bytes(const GraphPlan& plan, const device::Limits& limits);

/// Cells of the target with the most rows.
double cells_of(const graph::Graph& graph);

}  // namespace terrace::stages
