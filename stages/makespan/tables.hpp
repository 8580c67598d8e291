// The tables of a search, round by round, as a function of the outcomes of the rounds before.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/dp_table/table.hpp"
#include "stages/makespan/cut.hpp"
#include "stages/makespan/search.hpp"

namespace terrace::stages {

/// A search as it was planned.
struct SearchDefinition {
  Instance instance;
  std::int64_t k = 1, probes = 1;
  /// Bounds of the targets. The upper one is feasible, or a known schedule is within epsilon of it.
  std::int64_t lower = 0, upper = 0;
  ElementType type = ElementType::u8;
  SearchCut cut;
  std::int64_t workspace = 0;  // bytes that kernels need in the memory of a device of its own, as chosen
};

/// The smallest feasible target of each round that had tables, by its index in TargetSearch::targets(); their number:
/// none was.
using Outcomes = std::vector<std::int64_t>;

/// The table of a target, and where it lies.
struct ProbeTable {
  std::int64_t target = 0;
  SizedTable sized;
  dp_table::Tiles tiles;
  std::vector<dp_table::SourceRange> sources;
  std::int64_t first_block = 0;           // in its phase
  std::vector<std::int64_t> generations;  // of each tile, in the array of the probe

  /// A cell's tile, and its index there: the cells of a tile are adjacent in row-major order.
  struct Place {
    std::int64_t tile, cell;
  };
  /// @param cell by its index in the table
  Place place_of(std::int64_t cell) const;
  std::int64_t cells_of(std::int64_t tile) const { return volume(tiles.box(tile).shape()); }
};

/// Tables that are made in one phase, one an array.
struct RoundTables {
  std::vector<ProbeTable> probes;
  std::int64_t blocks = 0;

  const ProbeTable& of_block(std::int64_t index) const;
};

class TablesOfSearch {
 public:
  explicit TablesOfSearch(SearchDefinition definition);

  const SearchDefinition& definition() const { return definition_; }
  const Rounding& rounding() const { return rounding_; }
  /// The search after these rounds. Rounds in which no job is long for the first target have no tables, and are over
  /// at once.
  TargetSearch search(const Outcomes& outcomes) const;
  /// Targets of the round that need a table: for the ones after them no job is long.
  std::int64_t tables_of(const TargetSearch& search) const;
  /// True if the table of the search's end was made in the last of the rounds, and still is in its array.
  bool in_place(const Outcomes& outcomes) const;

  /// The tables of the round after these. @throws ComputeError if one does not fit the tiles of the plan
  std::shared_ptr<const RoundTables> round(const Outcomes& outcomes) const;
  /// The number of the array of the search's end: its own if tables do not stay, else that of the first probe.
  std::int64_t end_array() const { return definition_.cut.stays() ? 0 : definition_.probes; }
  /// The table of the search's end, made again in end_array().
  std::shared_ptr<const RoundTables> end(const Outcomes& outcomes) const;

 private:
  std::vector<std::int64_t> targets_of(const Outcomes& outcomes) const;
  std::int64_t tiles_of(std::int64_t target) const;
  /// @param outcomes of the rounds whose tables the arrays had before
  std::shared_ptr<const RoundTables> make(const Outcomes& outcomes, const std::vector<std::int64_t>& targets) const;
  ProbeTable probe(std::int64_t target) const;

  SearchDefinition definition_;
  Rounding rounding_;
  // Blocks are asked for one by one: the tables of the last rounds are kept.
  mutable std::mutex mutex_;
  mutable std::map<Outcomes, std::shared_ptr<const RoundTables>> rounds_, ends_;
};

}  // namespace terrace::stages
