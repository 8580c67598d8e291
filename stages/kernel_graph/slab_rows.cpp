#include "stages/kernel_graph/slab_rows.hpp"

#include <algorithm>
#include <optional>

#include "kernels/graph/slabs.hpp"
#include "stages/block_memory.hpp"
#include "stages/kernel_graph/measured.hpp"
#include "stages/refuse.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {
namespace {

using Methods = std::vector<const graph::GraphMethod*>;

/// One method for all parts; parts that it does not compute take the cheapest of their own.
Methods choose_methods(const Request& request, const GraphParts& parts) {
  const std::string& schedule = request.stage.settings.text("schedule");
  const auto all = graph::graph_methods();
  const graph::GraphSpec main{parts.parts[heaviest_part(parts)].graph, 1};
  const graph::GraphMethod& method = method_for(request, all, schedule, main);
  Methods made;
  for (const GraphPart& part : parts.parts) {
    const graph::GraphSpec spec{part.graph, 1};
    const device::Limits& limits = request.resources.device;
    const bool fits = method.unfit(spec, limits).empty();
    made.push_back(
        fits ? &method
             : &device::chosen_method("stage '" + request.stage.name + "'", all, method.backend, "", spec, limits));
  }
  return made;
}

/// Chooses the rows of slabs: as many as fit the budgets, and hardly more than so many bytes of values.
class SlabChooser {
 public:
  SlabChooser(const Request& request, const GraphDefinition& definition, const Methods& methods)
      : resources_(request.resources), definition_(definition), methods_(methods) {
    for (const GraphPart& part : definition.parts.parts) rows_.push_back(graph::most_kept_rows(*part.graph));
  }

  GraphPlan choose() {
    while (true) {
      GraphPlan plan(definition_, rows_, methods_);
      const std::vector<std::int64_t> before = rows_;
      const std::optional<BlockMemory> beyond = lower(plan);
      if (rows_ != before) continue;
      if (beyond) refuse_budgets(resources_, *beyond);
      return plan;
    }
  }

 private:
  void halve(std::size_t part) { rows_[part] = (rows_[part] + 1) / 2; }
  std::int64_t workspace(const PlannedPart& part) const {
    return static_cast<std::int64_t>(part.method->workspace(part.spec, resources_.device));
  }

  /// Lowers the slabs that are too large. @return the memory of the largest block that no budget holds
  std::optional<BlockMemory> lower(const GraphPlan& plan) {
    std::vector<std::int64_t> spaces;
    for (const PlannedPart& part : plan.parts()) spaces.push_back(workspace(part));
    const auto widest = static_cast<std::size_t>(std::ranges::max_element(spaces) - spaces.begin());
    std::optional<BlockMemory> beyond;
    for (std::size_t part = 0; part < spaces.size(); ++part) {
      BlockMemory memory = plan.block_memory(part);
      const auto wanted = resources_.cuda ? measured::graph_cuda_slab_bytes : measured::graph_slab_bytes;
      if (memory.block + spaces[part] > wanted) halve(part);
      // All kernels work in one memory. On the CPU it is a part of the block.
      (resources_.cuda ? memory.workspace : memory.block) += spaces[widest];
      if (holds(resources_, memory)) continue;
      if (!beyond || memory.block + memory.workspace > beyond->block + beyond->workspace) beyond = memory;
      halve(widest);
      if (part != widest) halve(part);
      if (plan.parts()[part].spec.slab_rows > 1) continue;
      // It reads whole tiles of earlier parts.
      for (std::size_t other = 0; other < rows_.size(); ++other) halve(other);
    }
    return beyond;
  }

  const Resources& resources_;
  const GraphDefinition& definition_;
  const Methods& methods_;
  std::vector<std::int64_t> rows_;
};

}  // namespace

std::size_t heaviest_part(const GraphParts& parts) {
  const auto cells = [](const GraphPart& part) { return cells_of(*part.graph); };
  return static_cast<std::size_t>(std::ranges::max_element(parts.parts, {}, cells) - parts.parts.begin());
}

GraphPlan plan_graph(const Request& request, const GraphDefinition& definition) {
  const Methods methods = choose_methods(request, definition.parts);
  if (request.choices == nullptr) return SlabChooser(request, definition, methods).choose();
  return {definition, request.choices->at("slab_rows").get<std::vector<std::int64_t>>(), methods};
}

}  // namespace terrace::stages
