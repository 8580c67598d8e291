// The folded results of a table's blocks: its last value, a count that overflows, and the way back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/run/tally.hpp"
#include "stages/dp_table/plan.hpp"

namespace terrace::stages {

struct TableFindings {
  std::int64_t last = 0;  // value of the last cell, for integers
  double last_real = 0;
  std::vector<std::int32_t> walked;  // steps from the last cell back
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
  const TablePlan& plan_;
  TableFindings findings_;
};

}  // namespace terrace::stages
