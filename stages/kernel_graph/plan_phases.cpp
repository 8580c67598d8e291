// Phases of a graph's plan, and what is decided when they begin.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "kernels/graph/moves.hpp"
#include "kernels/graph/slabs.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/rounding.hpp"
#include "pipeline/base/units.hpp"
#include "stages/kernel_graph/moves.hpp"
#include "stages/kernel_graph/plan.hpp"
#include "stages/kernel_graph/tally.hpp"

namespace terrace::stages {

std::optional<run::Phase> GraphPlan::phase(std::int64_t number, const run::Tally& tally) const {
  const PartTurn turn = turn_of(number);
  const std::size_t part = turn.part;
  if (part == parts_.size()) return std::nullopt;
  std::vector<double> numbers;
  for (const int known : parts_[part].part.numbers)
    numbers.push_back(static_cast<const GraphTally&>(tally).number(known));
  return phase_of(turn, numbers, fitting_rows(part, numbers));
}

PartTurn GraphPlan::turn_of(std::int64_t phase) const {
  PartTurn found{0, phase};
  while (found.part < parts_.size() && found.turn >= parts_[found.part].part.times) {
    found.turn -= parts_[found.part++].part.times;
  }
  return found;
}

std::int64_t GraphPlan::phases_before(std::size_t part) const {
  std::int64_t phases = 0;
  for (std::size_t n = 0; n < part; ++n) phases += parts_[n].part.times;
  return phases;
}

std::string GraphPlan::part_name(std::size_t part) const {
  const std::int64_t before = phases_before(part), times = parts_[part].part.times;
  if (times == 1) return fmt::format("part {}", before + 1);
  return fmt::format("parts {} to {}", before + 1, before + times);
}

bool GraphPlan::is_in_turn(std::size_t part) const {
  return !parts_[part].part.reductions.empty() || !parts_[part].carries.empty();
}

int GraphPlan::devices(int available) const {
  return static_cast<int>(std::min<std::int64_t>(available, dealing_.devices));
}

int GraphPlan::device(const run::Phase& phase, std::int64_t index, int devices) const {
  return static_cast<int>(DealtParts{phase.count, devices}.part_of(index));
}

std::string GraphPlan::dealt() const {
  if (dealing_.devices <= 1) return dealing_.why_not;
  std::int64_t slabs = 0;
  for (const PlannedPart& part : parts_) slabs = std::max<std::int64_t>(slabs, graph::slabs_of(part.spec));
  return std::to_string(slabs) + " slabs of rows";
}

run::Phase GraphPlan::phase_of(PartTurn turn, const std::vector<double>& numbers, std::int64_t slab_rows) const {
  PartPhase value{};
  std::ranges::transform(numbers, value.numbers, [](double number) { return std::bit_cast<std::int64_t>(number); });
  value.slab_rows = slab_rows;
  const run::Order order = is_in_turn(turn.part) ? run::Order::in_turn : run::Order::any;
  run::Phase phase{phases_before(turn.part) + turn.turn, 0, order, value};
  phase.count = graph::slabs_of(spec_of(phase));
  return phase;
}

graph::GraphSpec GraphPlan::spec_of(const run::Phase& phase) const {
  graph::GraphSpec spec = parts_[turn_of(phase).part].spec;
  const auto value = phase.value.as<PartPhase>();
  if (value.slab_rows == 0) return spec;
  spec.slab_rows = value.slab_rows;
  for (const std::size_t number : moved_numbers(*spec.graph)) {
    spec.known[number] = std::bit_cast<double>(value.numbers[number]);
  }
  return spec;
}

/// The most rows of slabs, at most the planned ones, in which the budgets hold a part with these numbers: two blocks
/// at a time, or else one.
std::int64_t GraphPlan::fitting_rows(std::size_t part, const std::vector<double>& numbers) const {
  const std::int64_t planned = parts_[part].spec.slab_rows;
  if (moves_no_further(*parts_[part].spec.graph, numbers, parts_[part].spec.known)) return planned;
  for (const std::int64_t blocks : {2, 1}) {
    for (std::int64_t rows = planned;; rows = (rows + 1) / 2) {
      if (fits(phase_of({part, 0}, numbers, rows), blocks)) return rows;
      if (rows == 1) break;
    }
  }
  refuse_moves(part, numbers);
}

bool GraphPlan::fits(const run::Phase& phase, std::int64_t blocks) const {
  const PlannedPart& own = parts_[turn_of(phase).part];
  if (workspace_of(*own.method, spec_of(phase)) > workspace_) return false;
  BlockMemory memory = block_memory(phase);
  memory.block *= blocks;
  (resources_.cuda ? memory.workspace : memory.block) += workspace_;
  return holds(resources_, memory);
}

void GraphPlan::refuse_moves(std::size_t part, const std::vector<double>& numbers) const {
  const graph::Graph& graph = *parts_[part].spec.graph;
  std::string text;
  for (const graph::Node& node : graph.nodes) {
    const auto moves = node.settings.moves ? graph::moves_of(graph, node, numbers) : std::nullopt;
    if (!moves) continue;
    const std::int64_t extent = graph.shape(node.operands.front()).rows;
    const graph::Range rows = graph::rows_warped(graph.type, extent, {extent / 2, extent / 2 + 1}, *moves);
    text += (text.empty() ? "" : "; ") +
            fmt::format("node '{}' moves rows by {} to {}, so that one row of it needs {} rows of its array",
                        node.name, moves->smallest, moves->largest, rows.size());
  }
  const run::Phase least = phase_of({part, 0}, numbers, 1);
  const std::int64_t space = std::max(workspace_, workspace_of(*parts_[part].method, spec_of(least)));
  throw ComputeError(fmt::format("{}: a block needs {}, and the budget is {}; give more memory", text,
                                 format_size(static_cast<double>(block_memory(least).block + space)),
                                 format_size(static_cast<double>(budget()))));
}

std::int64_t GraphPlan::budget() const {
  return static_cast<std::int64_t>(resources_.cuda ? resources_.device_budget
                                                   : std::min(resources_.device_budget, resources_.host_budget));
}

void GraphPlan::reserve_workspace() {
  const std::int64_t planned = workspace_;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const graph::Graph& graph = *parts_[part].spec.graph;
    const std::vector<double> everywhere = assumed_numbers(graph, graph::most_kept_rows(graph));
    if (moves_no_further(graph, everywhere, parts_[part].spec.known)) continue;
    const run::Phase far = phase_of({part, 0}, everywhere, 1);
    const auto space = static_cast<double>(workspace_of(*parts_[part].method, spec_of(far)));
    const double share = space / (space + static_cast<double>(block_memory(far).block));
    // Two blocks as planned have place beside it, or else one.
    const std::int64_t block = block_memory(part).block;
    const std::int64_t blocks = 2 * block + planned + page_bytes <= budget() ? 2 : 1;
    workspace_ = std::max(workspace_, std::min(static_cast<std::int64_t>(share * static_cast<double>(budget())),
                                               budget() - page_bytes - blocks * block));
  }
}

}  // namespace terrace::stages
