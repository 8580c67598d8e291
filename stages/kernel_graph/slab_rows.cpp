#include "stages/kernel_graph/slab_rows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/graph/slabs.hpp"
#include "stages/block_memory.hpp"
#include "stages/kernel_graph/measured.hpp"
#include "stages/kernel_graph/times.hpp"
#include "stages/refuse.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {
namespace {

using Methods = std::vector<const graph::GraphMethod*>;

/// One method for all parts; parts that it does not compute take the cheapest of their own.
Methods choose_methods(const Request& request, const GraphDefinition& definition) {
  const GraphParts& parts = definition.parts;
  const std::string& schedule = request.stage.settings.text("schedule");
  const auto all = graph::graph_methods();
  const graph::GraphSpec main{
      .graph = parts.parts[heaviest_part(parts)].graph, .times = definition.times, .compiler = definition.compiler};
  const graph::GraphMethod& method = method_for(request, all, schedule, main);
  Methods made;
  for (const GraphPart& part : parts.parts) {
    const graph::GraphSpec spec{.graph = part.graph, .times = definition.times, .compiler = definition.compiler};
    const device::Limits& limits = request.resources.device;
    const bool fits = method.unfit(spec, limits).empty();
    made.push_back(
        fits ? &method
             : &device::chosen_method("stage '" + request.stage.name + "'", all, method.backend, "", spec, limits));
  }
  return made;
}

/// The times of the device: as the attempt to resume has them, else as they are kept.
std::shared_ptr<const graph::TimeTable> times_for(const Request& request) {
  if (request.choices == nullptr) return times_of_device(request.resources.device.name);
  if (!request.choices->contains("times")) return nullptr;
  return std::make_shared<graph::TimeTable>(times_from(request.choices->at("times")));
}

/// Chooses the rows of slabs. Those of the most rows do the least work twice: as many are taken as the budgets hold
/// of two blocks at a time, or else of one. Then slabs are lowered to a number of bytes, so that a run has many of
/// them, as far as that adds hardly any work.
class SlabChooser {
 public:
  SlabChooser(const Request& request, const GraphDefinition& definition, const Methods& methods)
      : resources_(request.resources), definition_(definition), methods_(methods) {
    for (const GraphPart& part : definition.parts.parts) most_.push_back(graph::most_kept_rows(*part.graph));
  }

  GraphPlan choose() {
    blocks_ = 2;
    if (lower_to_budgets()) {
      blocks_ = 1;
      if (const std::optional<BlockMemory> beyond = lower_to_budgets()) refuse_budgets(resources_, *beyond);
    }
    raise();
    lower_for_many();
    return plan();
  }

 private:
  GraphPlan plan() const { return {definition_, rows_, methods_, resources_}; }
  void halve(std::size_t part) { rows_[part] = (rows_[part] + 1) / 2; }

  /// The memory of a block of a part, or of two, in the plan.
  BlockMemory memory_of(const GraphPlan& plan, std::size_t part) const {
    BlockMemory memory = plan.block_memory(part);
    memory.block *= blocks_;
    // All kernels work in one memory. On the CPU it is a part of the block.
    (resources_.cuda ? memory.workspace : memory.block) += plan.workspace();
    return memory;
  }

  /// @return the memory of the largest block that no budget holds, of slabs of one row
  std::optional<BlockMemory> lower_to_budgets() {
    rows_ = most_;
    while (true) {
      const std::vector<std::int64_t> before = rows_;
      const std::optional<BlockMemory> beyond = lower(plan());
      if (rows_ == before) return beyond;
    }
  }

  /// Lowers the slabs that are too large. @return as lower_to_budgets()
  std::optional<BlockMemory> lower(const GraphPlan& plan) {
    const auto widest = static_cast<std::size_t>(std::ranges::max_element(plan.parts(), {}, &PlannedPart::workspace) -
                                                 plan.parts().begin());
    std::optional<BlockMemory> beyond;
    std::vector<bool> is_large(rows_.size());
    for (std::size_t part = 0; part < rows_.size(); ++part) {
      const BlockMemory memory = memory_of(plan, part);
      if (holds(resources_, memory)) continue;
      if (!beyond || memory.block + memory.workspace > beyond->block + beyond->workspace) beyond = memory;
      is_large[widest] = is_large[part] = true;
      // It reads whole tiles of earlier parts.
      if (plan.parts()[part].spec.slab_rows == 1) is_large.assign(rows_.size(), true);
    }
    for (std::size_t part = 0; part < rows_.size(); ++part) {
      if (is_large[part]) halve(part);
    }
    return beyond;
  }

  bool holds_all(const GraphPlan& plan) const {
    for (std::size_t part = 0; part < rows_.size(); ++part) {
      if (!holds(resources_, memory_of(plan, part))) return false;
    }
    return true;
  }

  /// Raises slabs that others have lowered, and that do work twice.
  void raise() {
    for (std::size_t part = rows_.size(); part-- > 0;) {
      while (rows_[part] < most_[part] && plan().repeated_share(part, part + 1) > measured::graph_repeated_share) {
        const std::int64_t before = std::exchange(rows_[part], std::min(2 * rows_[part], most_[part]));
        if (holds_all(plan())) continue;
        rows_[part] = before;
        break;
      }
    }
  }

  void lower_for_many() {
    const auto wanted = resources_.cuda ? measured::graph_cuda_slab_bytes : measured::graph_slab_bytes;
    for (std::size_t part = 0; part < rows_.size(); ++part) {
      const double least = graph::work_of(plan().parts()[part].spec);
      while (rows_[part] > 1) {
        const GraphPlan now = plan();
        if (now.block_memory(part).block + now.parts()[part].workspace <= wanted) break;
        halve(part);
        if (graph::work_of(plan().parts()[part].spec) <= least * (1 + measured::graph_repeated_share)) continue;
        rows_[part] = now.parts()[part].spec.slab_rows;
        break;
      }
    }
  }

  const Resources& resources_;
  const GraphDefinition& definition_;
  const Methods& methods_;
  std::vector<std::int64_t> most_, rows_;
  std::int64_t blocks_ = 2;  // that the budgets hold at a time
};

}  // namespace

std::size_t heaviest_part(const GraphParts& parts) {
  const auto work = [](const GraphPart& part) {
    return graph::work_of({.graph = part.graph, .slab_rows = graph::most_kept_rows(*part.graph)});
  };
  return static_cast<std::size_t>(std::ranges::max_element(parts.parts, {}, work) - parts.parts.begin());
}

GraphPlan plan_graph(const Request& request, GraphDefinition definition) {
  if (request.resources.cuda) definition.times = times_for(request);
  const Methods methods = choose_methods(request, definition);
  if (request.choices == nullptr) {
    GraphPlan made = SlabChooser(request, definition, methods).choose();
    made.reserve_workspace();
    return made;
  }
  GraphPlan made(definition, request.choices->at("slab_rows").get<std::vector<std::int64_t>>(), methods,
                 request.resources);
  // More memory than the attempt before had may be needed where warps move further than it could hold.
  made.set_workspace(request.choices->at("workspace").get<std::int64_t>());
  made.reserve_workspace();
  return made;
}

}  // namespace terrace::stages
