// A table with many dimensions as a plan of blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/dp_table/kernels.hpp"
#include "kernels/dp_table/table.hpp"
#include "pipeline/run/plan.hpp"
#include "stages/block_levels.hpp"
#include "stages/dealing.hpp"
#include "stages/dp_table/definition.hpp"

namespace terrace::stages {

/// Phase 0 makes the tiles in row-major order; then, if the solution is kept, each phase walks back a piece of the
/// way. If neither needs it, a tile that no later one reads is dropped.
///
/// A table of Order::unordered takes one step after another: phase 0 makes the tiles as they are before the first
/// step, each later phase is one step that all tiles take in place, in row-major order. A tile is of generation 1
/// after phase 0, and of one more after each step; a step reads cells that took it, so it may be taken again.
///
/// Several devices share the tiles of a level; of a table of Order::unordered each has the same tiles in every phase,
/// so that one takes the next step while those behind it take this one (stages/block_levels.hpp).
class TablePlan : public run::Plan {
 public:
  TablePlan(TableDefinition definition, Dealing dealing);

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t number) const override {
    return number > std::ssize(passes_) && definition_.keeps_solution;
  }
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  std::string part(const run::Phase& phase) const override;
  int devices(int available) const override;
  int device(const run::Phase& phase, std::int64_t index, int devices) const override;
  std::string dealt() const override;
  std::size_t descriptor_bytes() const override { return sizeof(dp_table::TableTask); }
  std::size_t result_bytes() const override { return sizeof(dp_table::TableResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  /// The descriptor of a block.
  dp_table::TableTask task(const run::Phase& phase, const run::BlockView& view) const;

  const dp_table::Table& table() const { return definition_.table; }
  const TableDefinition& definition() const { return definition_; }
  const Dealing& dealing() const { return dealing_; }
  const dp_table::Tiles& tiles() const { return tiles_; }
  /// The steps that are taken one after another, by their numbers; none if cells take all at once.
  const std::vector<std::int64_t>& passes() const { return passes_; }
  /// The most tiles that are stored at a time: all of them, or those that later tiles read.
  std::int64_t live_tiles() const { return drops() ? tiles_.most_live(sources_) : tiles_.count(); }
  /// True if the phase's block goes back; else its blocks make the tiles, one each.
  bool walks(const run::Phase& phase) const;
  /// The cell with that index in a tile.
  Extents cell_of(std::int64_t tile, std::int64_t index) const;

 private:
  bool drops() const { return !is_by_steps() && !definition_.keeps_table && !definition_.keeps_solution; }
  bool is_by_steps() const { return definition_.table.order == dp_table::Order::unordered; }
  run::Block block_of_step(const run::Phase& phase, std::int64_t tile) const;
  void add_slots(run::ArraySpec& array) const;
  void add_last_uses(std::int64_t tile, run::Block& block) const;

  TableDefinition definition_;
  Dealing dealing_;
  dp_table::Tiles tiles_;
  std::optional<BlockLevels> levels_;           // of a table that is dealt to several devices
  std::vector<dp_table::SourceRange> sources_;  // of blocks that take all steps
  std::vector<std::int64_t> passes_;
  std::vector<run::ArraySpec> arrays_;
};

}  // namespace terrace::stages
