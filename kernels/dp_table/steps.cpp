#include "kernels/dp_table/steps.hpp"

#include <algorithm>
#include <numeric>

namespace terrace::dp_table {

std::optional<StepSet> steps_of_capacity(const Extents& extents, const std::vector<std::int64_t>& weights,
                                         std::int64_t at_most) {
  StepSet set;
  set.dimensions = extents.rank();
  std::vector<std::int64_t> step(static_cast<std::size_t>(set.dimensions), 0);
  std::int64_t weight = 0;
  while (true) {
    // The next vector in lexicographic order: the last component that may grow grows, those after it become 0.
    int d = set.dimensions - 1;
    for (; d >= 0; --d) {
      auto& component = step[static_cast<std::size_t>(d)];
      const std::int64_t each = weights[static_cast<std::size_t>(d)];
      if (component + 1 < extents[d] && each <= at_most - weight) {
        ++component;
        weight += each;
        break;
      }
      weight -= component * each;
      component = 0;
    }
    if (d < 0) break;
    if (set.count() == most_steps) return std::nullopt;
    set.components.insert(set.components.end(), step.begin(), step.end());
  }
  set.whole_costs.assign(static_cast<std::size_t>(set.count()), 1);
  set.real_costs.assign(static_cast<std::size_t>(set.count()), 1);
  return set;
}

std::int64_t longest_chain(const Extents& extents, const StepSet& steps) {
  std::int64_t all = 0;
  for (int d = 0; d < extents.rank(); ++d) all += extents[d] - 1;
  std::int64_t least_sum = 0;
  std::vector<std::int64_t> least(static_cast<std::size_t>(extents.rank()), 0);
  bool any = false;
  std::int64_t bound = 0;  // of steps that are bounded
  for (std::int64_t number = 0; number < steps.count(); ++number) {
    const std::int64_t* step = steps.step(number);
    bool fits = true;
    for (int d = 0; d < extents.rank(); ++d) fits = fits && step[d] < extents[d];
    if (!fits) continue;
    const std::int64_t sum = std::accumulate(step, step + extents.rank(), std::int64_t{0});
    least_sum = any ? std::min(least_sum, sum) : sum;
    for (int d = 0; d < extents.rank(); ++d) {
      auto& component = least[static_cast<std::size_t>(d)];
      component = any ? std::min(component, step[d]) : step[d];
    }
    any = true;
    if (steps.is_bounded()) bound += std::min(all - bound, steps.each[static_cast<std::size_t>(number)]);
  }
  if (!any) return 0;
  std::int64_t longest = all / least_sum;
  if (steps.is_bounded()) longest = std::min(longest, bound);
  for (int d = 0; d < extents.rank(); ++d) {
    const std::int64_t component = least[static_cast<std::size_t>(d)];
    if (component > 0) longest = std::min(longest, (extents[d] - 1) / component);
  }
  return longest;
}

}  // namespace terrace::dp_table
