#include "stages/nest/cut.hpp"

#include <algorithm>

#include "stages/block_memory.hpp"
#include "stages/nest/measured.hpp"
#include "stages/nest/plan.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {

std::vector<std::int64_t> choose_nest_sides(const Request& request, const NestDefinition& definition) {
  const nest::Sweep sweep(definition.spec);
  std::vector<std::int64_t> sides;
  for (const nest::Range& range : sweep.space()) sides.push_back(std::max<std::int64_t>(1, range.size()));
  for (;;) {
    const NestPlan plan(definition, sides);
    const std::int64_t values = plan.value_bytes();
    const BlockMemory memory{plan.block_bytes() + values, 0, 0, 0};
    const bool fits = holds(request.resources, memory);
    if (fits && (values <= measured::nest_block_bytes || !sweep.keeps_boxes())) return sides;
    // The longest side that can be cut, and still is longer than what blocks hand on.
    const std::vector<std::int64_t> before = sides;
    std::vector<std::size_t> longest(sides.size());
    for (std::size_t n = 0; n < longest.size(); ++n) longest[n] = n;
    std::stable_sort(longest.begin(), longest.end(),
                     [&](std::size_t a, std::size_t b) { return sides[a] > sides[b]; });
    for (const std::size_t n : longest) {
      if (!sweep.keeps_boxes() || sides[n] <= std::max<std::int64_t>(measured::least_nest_side, sweep.halo()[n]))
        continue;
      sides[n] = (sides[n] + 1) / 2;
      if (NestPlan(definition, sides).parts_fit()) break;
      sides = before;
    }
    if (sides != before) continue;
    if (fits) return sides;
    refuse_budgets(request.resources, memory);
  }
}

}  // namespace terrace::stages
