// The folded results of the blocks of a table whose steps are bounded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/run/tally.hpp"
#include "stages/dp_table/bounded/plan.hpp"
#include "stages/dp_table/values.hpp"

namespace terrace::stages {

class BoundedTally : public run::Tally {
 public:
  explicit BoundedTally(const BoundedPlan& plan) : plan_(plan) {}

  void fold(const run::Phase& phase, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;

  const TableValues& values() const { return values_; }
  /// The bit of the cell from which the walk goes back; nullopt if there is no way to go.
  std::optional<std::int64_t> walk_from() const;
  /// Numbers of the steps from the first cell on, once the walk is at its end.
  std::vector<std::int32_t> solution() const;

 private:
  void fold_values(const run::Phase& phase, std::int64_t index, const dp_table::BoundedResult& result);
  void fold_walk(const run::Phase& phase, const dp_table::BoundedResult& result);
  Extents cell_of(std::int64_t element) const;
  bool is_reached() const;

  const BoundedPlan& plan_;
  TableValues values_;
  std::int64_t overflow_pass_ = -1, overflow_ = -1;  // the first count that leaves its type; -1: none
  std::vector<std::int64_t> walked_;                 // passes that were taken, from the last on
  std::int64_t back_ = 0;                            // bits that the walk went back
};

}  // namespace terrace::stages
