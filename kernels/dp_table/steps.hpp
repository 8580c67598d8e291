// Sets of step vectors of a table with many dimensions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/base/box.hpp"

namespace terrace::dp_table {

inline constexpr std::int64_t most_steps = 1 << 20;

/// Steps and their costs, in the job's order.
struct StepSet {
  int dimensions = 0;
  std::vector<std::int64_t> components;   // steps x dimensions, none negative, none of only zeros
  std::vector<std::int64_t> whole_costs;  // of each step, if all are whole numbers
  std::vector<double> real_costs;         // of each step
  std::vector<std::int64_t> each = {};    // how often each step may be taken; empty: as often as it fits

  std::int64_t count() const {
    return dimensions == 0 ? 0 : static_cast<std::int64_t>(components.size()) / dimensions;
  }
  const std::int64_t* step(std::int64_t number) const { return components.data() + number * dimensions; }
  /// True if steps may be taken a limited number of times.
  bool is_bounded() const { return !each.empty(); }
  bool has_whole_costs() const { return whole_costs.size() == real_costs.size(); }
};

/// The steps of total weight at most `at_most`: all vectors s with s_d < extents[d] and the sum of weights[d] * s_d
/// not above it, save the one of zeros, in lexicographic order, each with a cost of 1.
/// @param weights not negative @return nullopt if there are more than most_steps
std::optional<StepSet> steps_of_capacity(const Extents& extents, const std::vector<std::int64_t>& weights,
                                         std::int64_t at_most);

/// The most steps that lead from the cell of zeros to a cell of the table; 0 if no step fits.
std::int64_t longest_chain(const Extents& extents, const StepSet& steps);

}  // namespace terrace::dp_table
