// The search for a schedule as a plan of blocks: the tables of a round are one phase.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/dp_table/kernels.hpp"
#include "pipeline/run/plan.hpp"
#include "stages/makespan/tables.hpp"

namespace terrace::stages {

struct SearchFindings;

/// The work of a phase.
enum class SearchStep : std::int64_t {
  round,  // makes the tables of a round
  end,    // makes the table of the search's end again
  walk,   // goes back from a cell of it
};

/// The value of a phase: its step, the outcomes of the rounds before it, packed, and the cell
/// of a walk, by its index in row-major order.
struct SearchPhase {
  static constexpr int words = 8;

  std::int64_t step, rounds, made_again, cell;
  std::int64_t packed[words];

  /// @throws Error if they do not fit
  void pack(const Outcomes& outcomes, std::int64_t probes);
  Outcomes outcomes(std::int64_t probes) const;
  SearchStep what() const { return static_cast<SearchStep>(step); }
};

/// Phases depend on results: a round for each one of the search, then, if its end has a table that no array holds any
/// more, that table again, then the way back through it, as far as a block comes.
class MakespanPlan : public run::Plan {
 public:
  /// @param searched false: a known schedule is the result if no target is feasible
  MakespanPlan(SearchDefinition definition, bool searched);

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t) const override { return true; }
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

  const SearchDefinition& definition() const { return tables_.definition(); }
  const TablesOfSearch& tables() const { return tables_; }
  /// The tables of a phase: those that it makes, or the one that it walks through alone.
  std::shared_ptr<const RoundTables> tables_of(const run::Phase& phase) const;
  /// The table of the search's end, if it has one and a schedule is made of it; nullopt: a known schedule is the
  /// result, or all jobs are short.
  std::optional<std::int64_t> end_target(const Outcomes& outcomes) const;

 private:
  /// A block by its table, the number of the table's array, and its tile.
  struct Place {
    const ProbeTable& probe;
    std::int64_t array, tile;
    std::int64_t cell;  // of a walk, in the tile; -1: it makes the tile
  };
  Place place_of(const run::Phase& phase, const RoundTables& round, std::int64_t index) const;

  TablesOfSearch tables_;
  bool searched_;
  std::vector<run::ArraySpec> arrays_;
};

}  // namespace terrace::stages
