#include "stages/dp_table/bounded/plan.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/rounding.hpp"
#include "pipeline/run/slots.hpp"
#include "stages/dp_table/bounded/tally.hpp"
#include "stages/kernel_worker.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {

using dp_table::BoundedPass;
using dp_table::BoundedTable;
using dp_table::BoundedTask;
using dp_table::BoundedWork;

namespace {

/// Names of the accesses of a block.
enum class BoundedSlot { elements, below, taken, cells };

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
};

/// The work of a phase.
struct BoundedPhase {
  std::int64_t work;        // BoundedWork
  std::int64_t first, end;  // passes
  std::int64_t cell;        // of BoundedWork::walk: the bit of the cell where it begins

  BoundedWork what() const { return static_cast<BoundedWork>(work); }
};

BoundedPhase bounded_phase(const run::Phase& phase) { return phase.value.as<BoundedPhase>(); }

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
      groups_(ceiling<std::int64_t>(std::ssize(table_.passes), sizes_.passes)) {
  run::ArraySpec elements;
  elements.name = "elements";
  elements.type = table_.stored;
  elements.shape = {table_.elements};
  elements.tile = {sizes_.elements};
  elements.kept = 1;
  elements.generations = 1 + groups_;
  arrays_.push_back(elements);
  if (definition_.keeps_solution) {
    run::ArraySpec taken;
    taken.name = "taken";
    taken.type = ElementType::u64;
    taken.shape = {std::max<std::int64_t>(1, std::ssize(table_.passes)), table_.taken_words()};
    taken.tile = {sizes_.passes, volume(taken_of(elements_of(0), 0, 1).shape())};
    taken.kept = 1;
    // A tile is written once, so it takes one slot.
    taken.slots = std::max<std::int64_t>(1, groups_ * tiles());
    arrays_.push_back(taken);
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

std::optional<run::Phase> BoundedPlan::phase(std::int64_t number, const run::Tally& tally) const {
  const auto make = [&](std::int64_t blocks, BoundedWork work, std::int64_t first, std::int64_t end,
                        std::int64_t cell) {
    return run::Phase{number, blocks, run::Order::in_turn,
                      BoundedPhase{static_cast<std::int64_t>(work), first, end, cell}};
  };
  const auto passes = [&](std::int64_t group) {
    const std::int64_t first = group * sizes_.passes;
    return std::pair(first, std::min<std::int64_t>(std::ssize(table_.passes), first + sizes_.passes));
  };
  if (number == 0) return make(tiles(), BoundedWork::begin, 0, 0, 0);
  if (number <= groups_) {
    const auto [first, end] = passes(number - 1);
    return make(tiles(), BoundedWork::passes, first, end, 0);
  }
  if (number < made_phases()) return make(kept_.count(), BoundedWork::table, 0, 0, 0);
  const std::int64_t group = groups_ - 1 - (number - made_phases());
  if (!definition_.keeps_solution || group < 0) return std::nullopt;
  const std::optional<std::int64_t> cell = static_cast<const BoundedTally&>(tally).walk_from();
  if (!cell) return std::nullopt;
  const auto [first, end] = passes(group);
  return make(1, BoundedWork::walk, first, end, *cell);
}

bool BoundedPlan::walks(const run::Phase& phase) const { return bounded_phase(phase).what() == BoundedWork::walk; }

std::pair<std::int64_t, std::int64_t> BoundedPlan::passes_of(const run::Phase& phase) const {
  return {bounded_phase(phase).first, bounded_phase(phase).end};
}

std::string BoundedPlan::part(const run::Phase& phase) const {
  if (!definition_.keeps_solution) return "";
  return walks(phase) ? "way back" : "cells";
}

Box BoundedPlan::elements_of(std::int64_t tile) const {
  const std::int64_t begin = tile * sizes_.elements;
  return {{begin}, {std::min<std::int64_t>(table_.elements, begin + sizes_.elements)}};
}

Box BoundedPlan::below(const Box& tile, std::int64_t first, std::int64_t end) const {
  std::int64_t reach = 0;
  for (std::int64_t number = first; number < end; ++number) {
    reach = std::min<std::int64_t>(tile.begin[0], reach + table_.passes[static_cast<std::size_t>(number)].reach);
  }
  const std::int64_t begin = tile.begin[0] - reach;
  // One pass reads no more elements than the tile has, and one.
  std::int64_t stop = tile.begin[0];
  if (end - first == 1)
    stop = std::min<std::int64_t>(stop, tile.end[0] - table_.passes[static_cast<std::size_t>(first)].offset);
  return {{begin}, {std::max(begin, stop)}};
}

Box BoundedPlan::taken_of(const Box& tile, std::int64_t first, std::int64_t end) const {
  const std::int64_t cells = table_.packed() == 1 ? 64 : 1;
  return {{first, tile.begin[0] / cells}, {end, ceiling(tile.end[0], cells)}};
}

Box BoundedPlan::walked_of(const run::Phase& phase) const {
  const BoundedPhase work = bounded_phase(phase);
  std::int64_t least = work.cell;
  for (std::int64_t number = work.first + 1; number < work.end; ++number) {
    const BoundedPass& pass = table_.passes[static_cast<std::size_t>(number)];
    least = std::max<std::int64_t>(0, least - BoundedTable::bits_back(pass, table_.packed()));
  }
  return {{work.first, least / 64}, {work.end, work.cell / 64 + 1}};
}

void BoundedPlan::add_passes(const run::Phase& phase, std::int64_t tile, run::Block& block) const {
  const auto [first, end] = passes_of(phase);
  const Box box = elements_of(tile);
  block.accesses.push_back({BoundedSlot::elements, 0, phase.number, box, run::Mode::update});
  const Box read = below(box, first, end);
  if (volume(read.shape()) > 0) {
    block.accesses.push_back({BoundedSlot::below, 0, phase.number, read, run::Mode::read, run::View::contiguous});
  }
  if (definition_.keeps_solution) {
    block.accesses.push_back({BoundedSlot::taken, 1, 1, taken_of(box, first, end), run::Mode::write});
  }
  block.operations = static_cast<double>(end - first) * static_cast<double>(volume(box.shape()) * table_.packed());
}

void BoundedPlan::add_cells(std::int64_t index, run::Block& block) const {
  const Box box = kept_.box(index);
  const Extents strides = row_major_strides(table_.table.extents);
  std::int64_t first = 0;
  for (int d = 0; d < box.rank(); ++d) first += box.begin[d] * strides[d];
  const std::int64_t last = first + volume(box.shape()) - 1, cells = table_.packed() == 1 ? 1 : 64;
  const Box read{{table_.bit_of(first) / cells}, {table_.bit_of(last) / cells + 1}};
  block.accesses.push_back({BoundedSlot::elements, 0, 1 + groups_, read, run::Mode::read, run::View::contiguous});
  block.accesses.push_back({BoundedSlot::cells, static_cast<int>(arrays_.size()) - 1, 1, box, run::Mode::write});
}

run::Block BoundedPlan::block(const run::Phase& phase, std::int64_t index) const {
  run::Block block;
  switch (bounded_phase(phase).what()) {
    case BoundedWork::begin:
      block.accesses.push_back({BoundedSlot::elements, 0, 1, elements_of(index), run::Mode::write});
      break;
    case BoundedWork::passes:
      add_passes(phase, tiles() - 1 - index, block);
      break;
    case BoundedWork::table:
      add_cells(index, block);
      break;
    case BoundedWork::walk:
      block.accesses.push_back({BoundedSlot::taken, 1, 1, walked_of(phase), run::Mode::read, run::View::contiguous});
      break;
  }
  return block;
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
