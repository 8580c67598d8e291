// Totals of a table of distances.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/run/tally.hpp"
#include "stages/query/plan.hpp"

namespace terrace::stages {

/// Totals of the finite distances between different nodes: integers for integer types, real numbers for others.
struct DistanceTotals {
  std::int64_t finite = 0;
  std::int64_t outside = 0;  // of these, those in no bin of the histogram
  std::int64_t least = 0, most = 0;
  std::int64_t high = 0, low = 0;  // the sum is high * 2^32 + low, low below 2^32
  double least_real = 0, most_real = 0, sum_real = 0;
  std::vector<std::int64_t> farthest;  // from each node, in integer types; infinity: none is finite
  std::vector<double> farthest_real;   // in others
};

class QueryTally : public run::Tally {
 public:
  explicit QueryTally(const QueryPlan& plan) : plan_(plan) {}

  void fold(const run::Phase& phase, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;

  const DistanceTotals& totals() const { return totals_; }

 private:
  const QueryPlan& plan_;
  DistanceTotals totals_;
};

}  // namespace terrace::stages
