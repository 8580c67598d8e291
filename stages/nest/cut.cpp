#include "stages/nest/cut.hpp"

#include <algorithm>

#include "stages/block_memory.hpp"
#include "stages/nest/measured.hpp"
#include "stages/nest/plan.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {

namespace {

/// On the CPU the kernel's workspace is a part of the block.
BlockMemory memory_of(const NestPlan& plan, const nest::NestMethod& method, const Resources& resources) {
  BlockMemory memory = plan.block_memory();
  const auto workspace = static_cast<std::int64_t>(method.workspace(plan.spec(), resources.device));
  (resources.cuda ? memory.workspace : memory.block) += workspace;
  return memory;
}

}  // namespace

std::vector<std::int64_t> choose_nest_sides(const Request& request, const NestDefinition& definition,
                                            const nest::NestMethod& method) {
  const nest::Sweep sweep(definition.spec);
  std::vector<std::int64_t> sides;
  for (const nest::Range& range : sweep.space()) sides.push_back(std::max<std::int64_t>(1, range.size()));
  const double cell_seconds = method.cost(definition.spec, request.resources.device).seconds;
  for (;;) {
    const NestPlan plan(definition, sides, method);
    const BlockMemory memory = memory_of(plan, method, request.resources);
    const bool fits = holds(request.resources, memory);
    double seconds = cell_seconds;
    for (const std::int64_t side : sides) seconds *= static_cast<double>(side);
    if (fits && (seconds <= measured::nest_block_seconds || !sweep.keeps_boxes())) return sides;
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
      if (NestPlan(definition, sides, method).parts_fit()) break;
      sides = before;
    }
    if (sides != before) continue;
    if (fits) return sides;
    refuse_budgets(request.resources, memory);
  }
}

}  // namespace terrace::stages
