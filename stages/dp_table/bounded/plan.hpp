// A table whose steps are bounded as a plan of blocks.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kernels/dp_table/bounded_table.hpp"
#include "pipeline/run/plan.hpp"
#include "stages/dp_table/bounded/sizes.hpp"
#include "stages/dp_table/bounded/way.hpp"
#include "stages/dp_table/definition.hpp"

namespace terrace::stages {

/// Phase 0 makes the elements as they are before the first pass. Each later phase is some passes that all tiles take
/// in place, from the last to the first: a tile reads those before it as they are before the passes, and is of one
/// more generation after. Then, if the table is kept, a phase makes its cells of the elements. If the solution is
/// kept, the passes' blocks keep a bit for each pass and cell, and phases of a block go back, some passes each. If
/// scratch does not hold all bits, these are kept of some passes at a time: the elements before the others are stored
/// or made anew, and take the passes again, as far as the cell where the way back stands (way.hpp).
class BoundedPlan : public run::Plan {
 public:
  BoundedPlan(TableDefinition definition, BoundedSizes sizes);
  BoundedPlan(const BoundedPlan&) = delete;
  BoundedPlan& operator=(const BoundedPlan&) = delete;

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t number) const override { return number >= made_phases(); }
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  std::string part(const run::Phase& phase) const override;
  std::size_t descriptor_bytes() const override { return sizeof(dp_table::BoundedTask); }
  std::size_t result_bytes() const override { return sizeof(dp_table::BoundedResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  /// The descriptor of a block.
  dp_table::BoundedTask task(const run::Phase& phase, const run::BlockView& view) const;

  const BoundedWay& way() const { return way_; }
  const TableDefinition& definition() const { return definition_; }
  const dp_table::BoundedTable& table() const { return table_; }
  const BoundedSizes& sizes() const { return sizes_; }
  dp_table::BoundedSpec spec() const { return {table_, sizes_.elements, sizes_.most_reach(table_)}; }
  std::int64_t tiles() const { return sizes_.tiles(table_); }
  /// The numbers of the passes [first, end) that a phase takes, or goes back through; none in others.
  std::pair<std::int64_t, std::int64_t> passes_of(const run::Phase& phase) const;
  /// True if the phase's block goes back.
  bool walks(const run::Phase& phase) const;
  /// True if the cells have their values after the phase.
  bool is_last(const run::Phase& phase) const { return phase.number == way_.steps_before_walk(); }

 private:
  /// The phases before those that go back.
  std::int64_t made_phases() const { return 1 + way_.steps_before_walk() + (definition_.keeps_table ? 1 : 0); }
  /// Tiles up to the one that holds a cell, by its bit.
  std::int64_t tiles_up_to(std::int64_t bit) const;
  run::Phase phase_of_step(std::int64_t number, const WayStep& step, std::optional<std::int64_t> cell) const;
  Box elements_of(std::int64_t tile) const;
  /// Elements before those of a tile that passes read.
  Box below(const Box& tile, std::int64_t first, std::int64_t end) const;
  /// Bits that passes took: of the tile's elements, or of those where a walk may be.
  Box taken_of(const Box& tile, std::int64_t first, std::int64_t end) const;
  Box walked_of(const run::Phase& phase) const;
  void add_passes(const run::Phase& phase, std::int64_t tile, run::Block& block) const;
  void add_cells(std::int64_t index, run::Block& block) const;
  void add_walk(const run::Phase& phase, run::Block& block) const;
  void add_saved(const run::Phase& phase, std::int64_t tile, run::Block& block) const;

  TableDefinition definition_;
  dp_table::BoundedTable table_;
  BoundedSizes sizes_;
  dp_table::Tiles kept_;  // tiles of the table that is kept
  std::int64_t groups_;   // of passes, each a phase
  BoundedWay way_;
  std::vector<run::ArraySpec> arrays_;
};

}  // namespace terrace::stages
