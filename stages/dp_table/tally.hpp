// The folded results of a table's blocks: its last value, its best cell, a count that overflows, and the way back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/run/tally.hpp"
#include "stages/dp_table/plan.hpp"
#include "stages/dp_table/values.hpp"

namespace terrace::stages {

struct TableFindings : TableValues {
  std::vector<std::int32_t> walked;  // steps back from the last cell, or the best one
  Extents cell;                      // where the walk stands
  bool ended = false;                // true if the walk is at its end
  bool reached = true;               // false if no step leads to the last cell
};

class TableTally : public run::Tally {
 public:
  explicit TableTally(const TablePlan& plan);

  void fold(const run::Phase& phase, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;

  const TableFindings& findings() const { return findings_; }

 private:
  void fold_tile(const run::Phase& phase, std::int64_t tile, const dp_table::TableResult& result);
  void fold_walk(const dp_table::TableResult& result);

  const TablePlan& plan_;
  TableFindings findings_;
};

}  // namespace terrace::stages
