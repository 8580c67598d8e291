// A table with many dimensions as a plan of blocks.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kernels/dp_table/kernels.hpp"
#include "kernels/dp_table/table.hpp"
#include "pipeline/run/plan.hpp"
#include "stages/dp_table/definition.hpp"

namespace terrace::stages {

/// Phase 0 makes the tiles in row-major order; then, if the solution is kept, each phase walks back a piece of the
/// way. If neither needs it, a tile that no later one reads is dropped.
class TablePlan : public run::Plan {
 public:
  explicit TablePlan(TableDefinition definition);

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t number) const override { return number > 0 && definition_.keeps_solution; }
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  std::string part(const run::Phase& phase) const override;
  std::size_t descriptor_bytes() const override { return sizeof(dp_table::TableTask); }
  std::size_t result_bytes() const override { return sizeof(dp_table::TableResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  /// The descriptor of a block.
  dp_table::TableTask task(const run::Phase& phase, const run::BlockView& view) const;

  const dp_table::Table& table() const { return definition_.table; }
  const TableDefinition& definition() const { return definition_; }
  const dp_table::Tiles& tiles() const { return tiles_; }
  /// The most tiles that are stored at a time: all of them, or those that later tiles read.
  std::int64_t live_tiles() const { return drops() ? tiles_.most_live(sources_) : tiles_.count(); }
  /// The cell with that index in a tile.
  Extents cell_of(std::int64_t tile, std::int64_t index) const;

 private:
  bool drops() const { return !definition_.keeps_table && !definition_.keeps_solution; }
  void add_last_uses(std::int64_t tile, run::Block& block) const;

  TableDefinition definition_;
  dp_table::Tiles tiles_;
  std::vector<dp_table::SourceRange> sources_;
  std::vector<run::ArraySpec> arrays_;
};

}  // namespace terrace::stages
