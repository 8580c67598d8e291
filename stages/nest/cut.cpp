#include "stages/nest/cut.hpp"

#include <algorithm>
#include <utility>

#include "stages/block_memory.hpp"
#include "stages/dealing.hpp"
#include "stages/nest/measured.hpp"
#include "stages/nest/plan.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {

namespace {

/// On the CPU the kernel's workspace is a part of the block.
BlockMemory memory_of(const NestPlan& plan, const nest::NestMethod& method, const Resources& resources) {
  BlockMemory memory = plan.block_memory();
  if (!resources.cuda) memory.block += std::exchange(memory.tile, 0);  // it passes through the same memory
  else if (2 * memory.tile <= memory.block) memory.tile = 0;
  const auto workspace = static_cast<std::int64_t>(method.workspace(plan.spec(), resources.device));
  (resources.cuda ? memory.workspace : memory.block) += workspace;
  return memory;
}

/// Halves the longest side that can be cut, and still is longer than what blocks hand on. @return true if there is
/// one
bool halve_longest(std::vector<std::int64_t>& sides, const nest::Sweep& sweep, const NestDefinition& definition,
                   const nest::NestMethod& method) {
  if (!sweep.keeps_boxes()) return false;
  std::vector<std::size_t> longest(sides.size());
  for (std::size_t n = 0; n < longest.size(); ++n) longest[n] = n;
  std::stable_sort(longest.begin(), longest.end(), [&](std::size_t a, std::size_t b) { return sides[a] > sides[b]; });
  for (const std::size_t n : longest) {
    if (sides[n] <= std::max<std::int64_t>(measured::least_nest_side, sweep.halo()[n])) continue;
    std::vector<std::int64_t> halved = sides;
    halved[n] = (sides[n] + 1) / 2;
    if (!NestPlan(definition, halved, method).parts_fit()) continue;
    sides = std::move(halved);
    return true;
  }
  return false;
}

/// Expected seconds of a cell in the plan's blocks on one device, no faster than the device's ceiling.
double cell_seconds(const NestPlan& plan, const Resources& resources) {
  double operations = 0;
  for (const nest::Statement& statement : plan.spec().nest->statements) operations += statement.value.operations();
  const double ceiling = resources.device.operations_per_second;
  return std::max(plan.method().cost(plan.spec(), resources.device).seconds, ceiling > 0 ? operations / ceiling : 0);
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
    if (halve_longest(sides, sweep, definition, method)) continue;
    if (fits) return sides;
    refuse_budgets(request.resources, memory);
  }
}

double dealt_nest_seconds(const NestPlan& plan, const Resources& resources, std::int64_t devices) {
  const double block = plan.spec().nest->cells() * cell_seconds(plan, resources) / static_cast<double>(plan.blocks());
  return static_cast<double>(plan.levels().rounds(devices)) * (block + measured::DealtBlocks::hand_on_seconds);
}

Dealing deal_nest(const Resources& resources, const NestDefinition& definition, const nest::NestMethod& method,
                  std::vector<std::int64_t>& sides) {
  if (!resources.cuda || resources.devices <= 1) return {};
  const nest::Sweep sweep(definition.spec);
  if (!sweep.keeps_boxes()) return {1, "what is kept of it cannot be cut into blocks"};
  Dealing dealing{1, "a block of so small a nest is made before another device has its border"};
  std::vector<std::int64_t> best = sides;
  double least = 0;
  for (std::vector<std::int64_t> tried = sides;;) {
    const NestPlan plan(definition, tried, method);
    if (plan.blocks() > measured::most_dealt_nest_blocks) break;
    if (least == 0) {
      least = plan.spec().nest->cells() * cell_seconds(plan, resources) / measured::DealtBlocks::least_gain;
    }
    for (std::int64_t devices = 2; devices <= resources.devices; ++devices) {
      const double seconds = dealt_nest_seconds(plan, resources, devices);
      if (plan.blocks() < devices || seconds >= least) continue;
      least = seconds;
      best = tried;
      dealing = {devices, ""};
    }
    if (!halve_longest(tried, sweep, definition, method)) break;
  }
  sides = best;
  return dealing;
}

}  // namespace terrace::stages
