// A graph of kernels as a plan of blocks: slabs of rows of the targets of each part.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/graph/methods.hpp"
#include "kernels/graph/task.hpp"
#include "pipeline/run/plan.hpp"
#include "stages/block_memory.hpp"
#include "stages/compiled_method.hpp"
#include "stages/dealing.hpp"
#include "stages/kernel_graph/definition.hpp"
#include "stages/kernel_graph/shared_slots.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The value of a part's phase.
struct PartPhase {
  std::int64_t numbers[graph::most_numbers];  // that it takes from earlier parts, as bits
  std::int64_t slab_rows;                     // 0: as planned
};

/// A part of the graph with the method that computes it.
struct PlannedPart {
  GraphPart part;
  graph::GraphSpec spec;
  const graph::GraphMethod* method = nullptr;
  std::shared_ptr<CompiledMethod<graph::GraphSpec>> compiled;  // which makes the kernels, by this method or another
  std::vector<int> carries = {};                               // arrays of carriers_of()
  std::int64_t workspace = 0;                                  // bytes
};

/// A part, and how often it was computed before.
struct PartTurn {
  std::size_t part = 0;
  std::int64_t turn = 0;
};

/// One phase for each part, as often as it is computed. Its blocks depend on inputs and on earlier parts: each reads
/// the rows on which its rows of the targets depend. Rows that two slabs depend on are made twice. Reductions are
/// arrays that the blocks of a part update one after another, and so are the rows of iterations that slabs hand on
/// (kernels/graph/carry.hpp). Of several devices each has neighbours among the slabs of a phase, so that it reads of
/// earlier parts what it has made, but for some rows.
///
/// The rows that a warp reaches are known when its phase begins. Its part is planned for slabs that move by a share
/// of their rows (moves.hpp); if they move further, its phase has slabs of fewer rows: a decision that the
/// phase's value records.
class GraphPlan : public run::Plan {
 public:
  /// @param slab_rows for each part, of its kept node with the most rows @param methods for each part
  GraphPlan(GraphDefinition definition, const std::vector<std::int64_t>& slab_rows,
            const std::vector<const graph::GraphMethod*>& methods, const Resources& resources);

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  /// The number of positions that were found.
  std::int64_t entries(int array, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t number) const override;
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  std::string part(const run::Phase& phase) const override;
  int devices(int available) const override;
  int device(const run::Phase& phase, std::int64_t index, int devices) const override;
  std::string dealt() const override;
  std::size_t descriptor_bytes() const override { return sizeof(graph::GraphTask); }
  std::size_t result_bytes() const override { return sizeof(graph::GraphResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  /// The descriptor of a block.
  graph::GraphTask task(const run::Phase& phase, const run::BlockView& view) const;

  /// Deals the slabs of each phase to devices, each a part of neighbours, or says why one computes all.
  void deal(Dealing dealing) { dealing_ = std::move(dealing); }
  const Dealing& dealing() const { return dealing_; }
  /// True if each block of a part goes on with what the one before it hands on.
  bool is_in_turn(std::size_t part) const;

  const GraphDefinition& definition() const { return definition_; }
  const std::vector<PlannedPart>& parts() const { return parts_; }
  /// The part of a phase.
  PartTurn turn_of(const run::Phase& phase) const { return turn_of(phase.number); }
  /// Phases of the parts before one.
  std::int64_t phases_before(std::size_t part) const;
  /// "part 3", or "parts 3 to 12" of one that is computed several times.
  std::string part_name(std::size_t part) const;
  /// A part's graph in the slabs of its phase.
  graph::GraphSpec spec_of(const run::Phase& phase) const;
  /// The share of the work of some parts, in the planned slabs, that other slabs do too.
  double repeated_share(std::size_t first_part, std::size_t end_part) const;
  /// The values of the whole graph that an array of the plan has; null if it is of a reduction.
  const GraphArray* array(int number) const;
  /// The reduction of the whole graph whose number or counts an array of the plan has, if it is no value's.
  const graph::Reduction& reduction(int array) const;
  /// The memory of a block of a part in the planned slabs, the largest of a few, without the kernel's workspace.
  BlockMemory block_memory(std::size_t part) const;
  /// Bytes in which the kernels of all parts work.
  std::int64_t workspace() const { return workspace_; }
  /// Sets these, of an earlier attempt; else they are what the planned slabs need.
  void set_workspace(std::int64_t bytes) { workspace_ = bytes; }
  /// Makes them more if warps may move further than planned: such a part's share of the budgets.
  void reserve_workspace();

 private:
  BlockMemory block_memory(const run::Phase& phase) const;
  std::int64_t workspace_of(const graph::GraphMethod& method, const graph::GraphSpec& spec) const;
  std::int64_t budget() const;
  PartTurn turn_of(std::int64_t phase) const;
  run::Phase phase_of(PartTurn turn, const std::vector<double>& numbers, std::int64_t slab_rows) const;
  std::int64_t fitting_rows(std::size_t part, const std::vector<double>& numbers) const;
  bool fits(const run::Phase& phase, std::int64_t blocks) const;
  [[noreturn]] void refuse_moves(std::size_t part, const std::vector<double>& numbers) const;
  void add_array(const GraphArray& array);
  void add_reductions();
  void add_carries(PlannedPart& part);
  std::vector<LiveTiles> live_in(std::size_t part) const;
  std::int64_t generation_read(const GraphArray& array, PartTurn turn) const;
  run::Access update_of(const run::Phase& phase, std::int64_t index, run::Slot slot, int array) const;
  void add_updated(const run::Phase& phase, std::int64_t index, run::Block& block) const;
  std::int64_t tile_rows(const GraphArray& array) const;

  GraphDefinition definition_;
  Dealing dealing_;
  Resources resources_;
  std::vector<PlannedPart> parts_;
  std::int64_t workspace_ = 0;
  std::vector<run::ArraySpec> arrays_;
};

/// Cells of the target with the most rows.
double cells_of(const graph::Graph& graph);

}  // namespace terrace::stages
