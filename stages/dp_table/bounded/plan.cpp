#include "stages/dp_table/bounded/plan.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/rounding.hpp"
#include "pipeline/run/slots.hpp"
#include "stages/dp_table/bounded/phase.hpp"
#include "stages/dp_table/bounded/tally.hpp"
#include "stages/kernel_worker.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {

using dp_table::BoundedTask;
using dp_table::BoundedWork;

namespace {

void bind_taken(BoundedTask& task, const run::SlotPiece& piece, const run::NoContext&) {
  task.taken = reinterpret_cast<dp_table::u64*>(piece.tile.data);
  task.taken_stride = piece.tile.strides[0];
  task.taken_first = piece.tile.box.begin[1];
}
void bind_below(BoundedTask& task, const run::SlotPiece& piece, const run::NoContext&) {
  task.below = piece.tile.data;
  task.below_first = piece.tile.box.begin[0];
  task.below_end = piece.tile.box.end[0];
}

constexpr run::SlotField<BoundedTask> bounded_slots[] = {
    run::field<&BoundedTask::elements>(BoundedSlot::elements, "elements"),
    {.slot = BoundedSlot::below, .name = "below", .bind = bind_below},
    {.slot = BoundedSlot::taken, .name = "taken", .bind = bind_taken},
    run::field<&BoundedTask::table>(BoundedSlot::cells, "table"),
    run::field<&BoundedTask::saved>(BoundedSlot::saved, "saved"),
};

dp_table::Tiles tiles_of(const TableDefinition& definition, const BoundedSizes& sizes) {
  dp_table::Table table = definition.table;
  table.cut = sizes.cut;
  return dp_table::Tiles(table);
}

}  // namespace

BoundedPlan::BoundedPlan(TableDefinition definition, BoundedSizes sizes)
    : definition_(std::move(definition)),
      table_(definition_.table),
      sizes_(sizes),
      kept_(tiles_of(definition_, sizes_)),
      groups_(sizes_.groups(table_)),
      way_(groups_, sizes_.way) {
  run::ArraySpec elements;
  elements.name = "elements";
  elements.type = table_.stored;
  elements.shape = {table_.elements};
  elements.tile = {sizes_.elements};
  elements.kept = 1;
  arrays_.push_back(elements);
  if (definition_.keeps_solution) {
    const BoundedSlots slots = slots_in_scratch(table_, sizes_);
    run::ArraySpec taken;
    taken.name = "taken";
    taken.type = ElementType::u64;
    taken.shape = {std::max<std::int64_t>(1, std::ssize(table_.passes)), table_.taken_words()};
    taken.tile = {sizes_.passes, volume(taken_of(elements_of(0), 0, 1).shape())};
    taken.kept = 1;
    taken.slots = slots.taken;
    arrays_.push_back(taken);
    if (slots.saved > 0) {
      run::ArraySpec saved = elements;
      saved.name = "saved";
      saved.shape = {way_.leaves(), table_.elements};
      saved.tile = {1, sizes_.elements};
      saved.slots = slots.saved;
      arrays_.push_back(saved);
    }
  }
  if (!definition_.keeps_table) return;
  run::ArraySpec table;
  table.name = "table";
  table.role = run::Role::result;
  table.type = definition_.table.type;
  table.shape = definition_.table.extents;
  table.tile = kept_.shape();
  table.kept = 1;
  arrays_.push_back(table);
}

std::int64_t BoundedPlan::tiles_up_to(std::int64_t bit) const {
  return (table_.packed() == 1 ? bit : bit / 64) / sizes_.elements + 1;
}

run::Phase BoundedPlan::phase_of_step(std::int64_t number, const WayStep& step,
                                      std::optional<std::int64_t> cell) const {
  BoundedPhase value{};
  value.first = step.group * sizes_.passes;
  value.end = std::min<std::int64_t>(std::ssize(table_.passes), value.first + sizes_.passes);
  value.generation = step.generation;
  value.leaf = way_.leaf_of(step.group);
  value.keeps_bits = step.keeps_bits ? 1 : 0;
  value.is_last_use = step.is_last ? 1 : 0;
  value.cell = cell.value_or(0);
  std::int64_t blocks = cell ? tiles_up_to(*cell) : tiles();
  switch (step.work) {
    case WayWork::passes:
      value.work = static_cast<std::int64_t>(BoundedWork::passes);
      break;
    case WayWork::save:
      value.work = static_cast<std::int64_t>(BoundedWork::save);
      break;
    case WayWork::restore:
      value.work = static_cast<std::int64_t>(step.group == 0 ? BoundedWork::begin : BoundedWork::restore);
      break;
    case WayWork::walk:
      value.work = static_cast<std::int64_t>(BoundedWork::walk);
      blocks = 1;
      break;
  }
  return {number, blocks, run::Order::in_turn, value};
}

std::optional<run::Phase> BoundedPlan::phase(std::int64_t number, const run::Tally& tally) const {
  if (number == 0) return run::Phase{number, tiles(), run::Order::in_turn, BoundedPhase{}};
  if (number <= way_.steps_before_walk()) return phase_of_step(number, way_.step(number - 1), std::nullopt);
  if (number < made_phases()) {
    BoundedPhase value{};
    value.work = static_cast<std::int64_t>(BoundedWork::table);
    value.generation = 1 + groups_;
    return run::Phase{number, kept_.count(), run::Order::in_turn, value};
  }
  const std::int64_t step = number - made_phases() + way_.steps_before_walk();
  if (!definition_.keeps_solution || step >= way_.steps()) return std::nullopt;
  const std::optional<std::int64_t> cell = static_cast<const BoundedTally&>(tally).walk_from();
  if (!cell) return std::nullopt;
  return phase_of_step(number, way_.step(step), cell);
}

bool BoundedPlan::walks(const run::Phase& phase) const { return bounded_phase(phase).what() == BoundedWork::walk; }

std::pair<std::int64_t, std::int64_t> BoundedPlan::passes_of(const run::Phase& phase) const {
  return {bounded_phase(phase).first, bounded_phase(phase).end};
}

std::string BoundedPlan::part(const run::Phase& phase) const {
  if (!definition_.keeps_solution) return "";
  if (walks(phase)) return "way back";
  return phase.number < made_phases() ? "cells" : "cells again";
}

BoundedTask BoundedPlan::task(const run::Phase& phase, const run::BlockView& view) const {
  const BoundedPhase work = bounded_phase(phase);
  BoundedTask task{};
  task.work = work.work;
  task.first_pass = work.first;
  task.end_pass = work.end;
  task.cell = work.cell;
  task.is_last = is_last(phase) ? 1 : 0;
  if (const run::AccessView* elements = view.find(BoundedSlot::elements)) {
    task.first = elements->tiles.front().box.begin[0];
    task.end = elements->tiles.back().box.end[0];
  }
  task.below_first = task.below_end = task.first;
  if (work.what() == BoundedWork::table) {
    const Box box = kept_.box(view.index);
    const Extents strides = row_major_strides(table_.table.extents);
    for (int d = 0; d < box.rank(); ++d) task.first_cell += box.begin[d] * strides[d];
    task.end_cell = task.first_cell + volume(box.shape());
  }
  run::bind_slots(bounded_slots, view, task);
  return task;
}

std::unique_ptr<run::Worker> BoundedPlan::make_worker(device::Context& context) const {
  using Worker = KernelWorker<BoundedPlan>;
  const dp_table::BoundedMethod& method = device::chosen_method(
      "dp_table", dp_table::bounded_methods(), device::backend_of(context), "auto", spec(), context.limits());
  auto workspace = workspace_for(method, spec(), context);
  auto kernel = make_kernel(method, spec(), context, workspace.get());
  return std::make_unique<Worker>(*this, std::move(kernel), std::move(workspace));
}

}  // namespace terrace::stages
