// The outcomes of a search, round by round, and the configurations on the way back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/run/tally.hpp"
#include "stages/makespan/plan.hpp"

namespace terrace::stages {

/// A table that was made.
struct MadeTable {
  std::int64_t target = 0, cells = 0, steps = 0;
  std::vector<std::int64_t> extents;
  bool feasible = false;
};

struct SearchFindings {
  Outcomes outcomes;
  std::vector<MadeTable> tables;                          // in the order in which they were made, each target once
  bool made_again = false;                                // the table of the search's end
  std::int64_t walk_cell = -1;                            // where the way back goes on, by its index in the table
  std::vector<std::vector<std::int64_t>> configurations;  // found on it
  bool walk_ended = false;
};

class MakespanTally : public run::Tally {
 public:
  /// @param plan outlives it
  explicit MakespanTally(const MakespanPlan& plan) : plan_(plan) {}

  /// @throws ComputeError if a table is damaged
  void fold(const run::Phase& phase, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;

  const SearchFindings& findings() const { return findings_; }

 private:
  void fold_tile(const run::Phase& phase, std::int64_t index, std::int64_t last);
  void fold_walk(const run::Phase& phase, const dp_table::TableResult& result);
  void begin_walk();

  const MakespanPlan& plan_;
  SearchFindings findings_;
};

}  // namespace terrace::stages
