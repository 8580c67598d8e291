#include "stages/kernel_graph/slab_rows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/graph/slabs.hpp"
#include "pipeline/base/rounding.hpp"
#include "stages/block_memory.hpp"
#include "stages/dealing.hpp"
#include "stages/kernel_graph/iteration_parts.hpp"
#include "stages/kernel_graph/measured.hpp"
#include "stages/kernel_graph/times.hpp"
#include "stages/refuse.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {
namespace {

using Methods = std::vector<const graph::GraphMethod*>;

/// The method of the part that does the most work.
const graph::GraphMethod& main_method(const Request& request, const GraphDefinition& definition) {
  const GraphParts& parts = definition.parts;
  const graph::GraphSpec main{
      .graph = parts.parts[heaviest_part(parts)].graph, .times = definition.times, .compiler = definition.compiler};
  return method_for(request, graph::graph_methods(), request.stage.settings.text("schedule"), main);
}

/// One method for all parts; parts that it does not compute take the cheapest of their own.
Methods choose_methods(const Request& request, const GraphDefinition& definition, const graph::GraphMethod& method) {
  const auto all = graph::graph_methods();
  Methods made;
  for (const GraphPart& part : definition.parts.parts) {
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
  SlabChooser(const Request& request, const GraphDefinition& definition, const graph::GraphMethod& method)
      : resources_(request.resources),
        definition_(definition),
        methods_(choose_methods(request, definition, method)) {
    for (const GraphPart& part : definition.parts.parts) most_.push_back(graph::most_kept_rows(*part.graph));
  }

  /// @return the least memory that a choice needs, if the budgets hold none
  std::optional<BlockMemory> choose() {
    std::optional<BlockMemory> least;
    for (blocks_ = 2; blocks_ > 0; --blocks_) {
      if (!lower_to_budgets(least)) continue;
      raise();
      lower_for_many();
      return std::nullopt;
    }
    return least;
  }
  GraphPlan plan() const { return plan_of(rows_); }

  /// The plan in the chosen slabs, or, if that takes less time, in as many of equal height as several devices share.
  GraphPlan dealt_plan() const {
    GraphPlan best = plan();
    if (!resources_.cuda || resources_.devices <= 1) return best;
    best.deal({1, "slabs of so small a graph are made before a second device has its own"});
    double least = seconds_on(best, 1) / measured::DealtBlocks::least_gain;
    for (std::int64_t devices = 2; devices <= resources_.devices; ++devices) {
      std::vector<std::int64_t> rows = rows_;
      for (std::size_t part = 0; part < rows.size(); ++part) {
        if (best.is_in_turn(part)) continue;
        rows[part] = ceiling(most_[part], rounded_up(ceiling(most_[part], rows_[part]), devices));
      }
      GraphPlan tried = plan_of(rows);
      const double seconds = seconds_on(tried, devices);
      if (seconds >= least || !holds(resources_, needs_of(tried).memory)) continue;
      least = seconds;
      tried.deal({devices, ""});
      best = std::move(tried);
    }
    return best;
  }

 private:
  GraphPlan plan_of(const std::vector<std::int64_t>& rows) const { return {definition_, rows, methods_, resources_}; }

  /// Expected seconds of a plan on so many devices, on each no faster than its ceiling: the device with the most
  /// slabs ends last, and slabs that go on with what others hand on follow one another wherever they are.
  double seconds_on(const GraphPlan& plan, std::int64_t devices) const {
    const double ceiling_rate = resources_.device.operations_per_second;
    double all = 0;
    for (std::size_t n = 0; n < plan.parts().size(); ++n) {
      const PlannedPart& part = plan.parts()[n];
      const auto times = static_cast<double>(part.part.times);
      const double once = seconds_of(part, resources_.device) / (1 - plan.repeated_share(n, n + 1));
      const double least = ceiling_rate > 0 ? times * graph::work_of(part.spec) / ceiling_rate : 0;
      const std::int64_t slabs = graph::slabs_of(part.spec), own = ceiling(slabs, devices);
      const double share = plan.is_in_turn(n) ? 1 : static_cast<double>(own) / static_cast<double>(slabs);
      all += std::max(once, least) * share;
      if (devices > 1) all += times * static_cast<double>(devices) * measured::DealtBlocks::hand_on_seconds;
    }
    return all;
  }

  /// Memory and work of the parts in the slabs as they are chosen so far.
  struct Needs {
    std::vector<std::int64_t> bytes;  // of a block with its workspace
    std::vector<double> work;
    BlockMemory memory;  // of a block of any part, or of two
  };
  Needs needs() const { return needs_of(plan()); }
  Needs needs_of(const GraphPlan& now) const {
    Needs made;
    for (std::size_t part = 0; part < rows_.size(); ++part) {
      const BlockMemory own = now.block_memory(part);
      made.memory.block = std::max(made.memory.block, own.block);
      made.memory.written = std::max(made.memory.written, own.written);
      made.memory.tile = std::max(made.memory.tile, own.tile);
      made.bytes.push_back(own.block + now.parts()[part].workspace);
      made.work.push_back(graph::work_of(now.parts()[part].spec));
    }
    made.memory.block *= blocks_;
    // All kernels work in one memory. On the CPU it is a part of the block.
    (resources_.cuda ? made.memory.workspace : made.memory.block) += now.workspace();
    return made;
  }
  void halve(std::size_t part) { rows_[part] = (rows_[part] + 1) / 2; }

  /// @param least of the memory that choices need @return false if the budgets hold none
  bool lower_to_budgets(std::optional<BlockMemory>& least) {
    rows_ = most_;
    do {
      const Needs now = needs();
      if (holds(resources_, now.memory)) return true;
      const auto all = [](const BlockMemory& memory) { return memory.block + memory.workspace; };
      if (!least || all(now.memory) < all(*least)) least = now.memory;
      if (!lower(now)) return false;
    } while (true);
  }

  /// Lowers the slabs of the parts that need most, whatever the budgets are: so what a budget holds a larger one
  /// does, too. @return false if all slabs have one row
  bool lower(const Needs& now) {
    const std::int64_t largest = std::ranges::max(now.bytes);
    const std::vector<std::int64_t> before = rows_;
    for (std::size_t part = 0; part < rows_.size(); ++part) {
      if (2 * now.bytes[part] > largest) halve(part);
    }
    if (rows_ != before) return true;
    // Parts of one row read whole tiles of earlier parts.
    for (std::size_t part = 0; part < rows_.size(); ++part) halve(part);
    return rows_ != before;
  }

  /// Raises slabs that others have lowered, and that do work twice.
  void raise() {
    const GraphPlan now = plan();
    for (std::size_t part = rows_.size(); part-- > 0;) {
      double share = now.repeated_share(part, part + 1);
      while (rows_[part] < most_[part] && share > measured::graph_repeated_share) {
        const std::int64_t before = std::exchange(rows_[part], std::min(2 * rows_[part], most_[part]));
        if (!holds(resources_, needs().memory)) {
          rows_[part] = before;
          break;
        }
        share = plan().repeated_share(part, part + 1);
      }
    }
  }

  /// Lowers slabs as long as they are large, and blocks need less memory by that.
  void lower_for_many() {
    constexpr double less = 0.75;
    const auto wanted = resources_.cuda ? measured::graph_cuda_slab_bytes : measured::graph_slab_bytes;
    Needs before = needs();
    const std::vector<double> least = before.work;
    std::vector<bool> is_done(rows_.size());
    while (true) {
      const std::vector<std::int64_t> rows = rows_;
      for (std::size_t part = 0; part < rows_.size(); ++part) {
        if (!is_done[part] && before.bytes[part] > wanted) halve(part);
      }
      if (rows_ == rows) return;
      Needs now = needs();
      for (std::size_t part = 0; part < rows_.size(); ++part) {
        const bool is_little_more = now.work[part] <= least[part] * (1 + measured::graph_repeated_share);
        const bool is_less = static_cast<double>(now.bytes[part]) <= less * static_cast<double>(before.bytes[part]);
        if (is_little_more && is_less) continue;
        rows_[part] = rows[part];
        is_done[part] = true;
      }
      before = std::move(now);
    }
  }

  const Resources& resources_;
  const GraphDefinition& definition_;
  Methods methods_;
  std::vector<std::int64_t> most_, rows_;
  std::int64_t blocks_ = 2;  // that the budgets hold at a time
};

}  // namespace

std::size_t heaviest_part(const GraphParts& parts) {
  const auto work = [](const GraphPart& part) {
    const double once = graph::work_of({.graph = part.graph, .slab_rows = graph::most_kept_rows(*part.graph)});
    return static_cast<double>(part.times) * once;
  };
  return static_cast<std::size_t>(std::ranges::max_element(parts.parts, {}, work) - parts.parts.begin());
}

namespace {

/// Cuts long iterations into parts of so many steps (iteration_parts.hpp).
void cut_iterations(GraphDefinition& definition, const std::vector<std::int64_t>& steps) {
  definition.part_steps = steps;
  definition.parts =
      cut_into_parts(std::make_shared<const graph::Graph>(with_stored_steps(*definition.graph, steps)));
}

GraphPlan plan_for_budgets(const Request& request, const GraphDefinition& definition) {
  const graph::GraphMethod& method = main_method(request, definition);
  SlabChooser whole(request, definition, method);
  if (const std::optional<BlockMemory> beyond = whole.choose()) refuse_budgets(request.resources, *beyond);
  const std::vector<std::int64_t> steps = steps_of_parts(whole.plan(), request.resources);
  if (std::ranges::count(steps, 0) == std::ssize(steps)) return whole.dealt_plan();
  GraphDefinition in_parts = definition;
  cut_iterations(in_parts, steps);
  SlabChooser chooser(request, in_parts, method);
  // Arrays stored between the parts may be larger than the budgets hold.
  return chooser.choose() ? whole.dealt_plan() : chooser.dealt_plan();
}

}  // namespace

GraphPlan plan_graph(const Request& request, GraphDefinition definition) {
  if (request.resources.cuda) definition.times = times_for(request);
  if (request.choices == nullptr) {
    GraphPlan made = plan_for_budgets(request, definition);
    made.reserve_workspace();
    return made;
  }
  const nlohmann::json& choices = *request.choices;
  if (choices.contains("part_steps"))
    cut_iterations(definition, choices.at("part_steps").get<std::vector<std::int64_t>>());
  const Methods methods = choose_methods(request, definition, main_method(request, definition));
  GraphPlan made(definition, choices.at("slab_rows").get<std::vector<std::int64_t>>(), methods, request.resources);
  // More memory than the attempt before had may be needed where warps move further than it could hold.
  made.deal({choices.value("devices", std::int64_t{1}), ""});
  made.set_workspace(choices.at("workspace").get<std::int64_t>());
  made.reserve_workspace();
  return made;
}

}  // namespace terrace::stages
