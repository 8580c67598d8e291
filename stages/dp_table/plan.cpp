#include "stages/dp_table/plan.hpp"

#include <algorithm>

#include "pipeline/base/rounding.hpp"
#include "pipeline/run/slots.hpp"
#include "stages/block_memory.hpp"
#include "stages/dp_table/dealing.hpp"
#include "stages/dp_table/seconds.hpp"
#include "stages/dp_table/tally.hpp"
#include "stages/kernel_worker.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {

using dp_table::TableTask;

namespace {

constexpr int table_array = 0, choice_array = 1;

/// Names of the accesses of a block; sources are told apart by their number as the slot's index.
enum class Slot { cells, choice, source };

/// The rows of the tiles of a table, to which sources are bound.
struct TileRows {
  int dimension;       // along which they are
  std::int64_t bytes;  // of a row
};

/// Puts a source where rows from `first_row` of the block on would begin.
void bind_source(TableTask& task, const run::SlotPiece& piece, const TileRows& rows) {
  const std::byte* first_row = piece.tile.data + (task.first_row - piece.tile.box.begin[rows.dimension]) * rows.bytes;
  task.before[piece.index] = first_row;
  if (piece.index > 0 || task.pass >= 0) task.source[piece.index] = first_row;
}

constexpr run::SlotField<TableTask, TileRows> slots[] = {
    run::field<&TableTask::cells>(Slot::cells, "cells"),
    run::field<&TableTask::choice>(Slot::choice, "choice"),
    {.slot = Slot::source, .name = "source", .bind = bind_source, .count = dp_table::most_sources},
};

/// The work of a phase.
enum class Work : std::int64_t {
  all_steps,  // makes the cells
  begin,      // makes the cells as they are before the first of the steps that are taken one after another
  step,       // takes one of these
  walk,       // goes back from a cell
};

struct PhaseWork {
  std::int64_t work;
  std::int64_t step;        // of Work::step: its number in the job
  std::int64_t tile, cell;  // of Work::walk: where it begins, the cell by its index in the tile

  Work what() const { return static_cast<Work>(work); }
  dp_table::i64 pass() const {
    if (what() == Work::step) return step;
    return what() == Work::begin ? dp_table::no_step : dp_table::all_steps;
  }
};

PhaseWork work_of(const run::Phase& phase) { return phase.value.as<PhaseWork>(); }

/// The steps of a table of Order::unordered, those aside that lead from no cell to another one.
std::vector<std::int64_t> passes_of(const dp_table::Table& table) {
  std::vector<std::int64_t> passes;
  if (table.order != dp_table::Order::unordered) return passes;
  for (std::int64_t number = 0; number < table.steps.count(); ++number) {
    if (dp_table::fits_table(table.extents, table.steps.step(number))) passes.push_back(number);
  }
  return passes;
}

}  // namespace

TablePlan::TablePlan(TableDefinition definition, Dealing dealing)
    : definition_(std::move(definition)),
      dealing_(std::move(dealing)),
      tiles_(definition_.table),
      passes_(passes_of(definition_.table)) {
  if (dealing_.devices > 1) levels_.emplace(tile_places(definition_.table));
  if (!is_by_steps()) sources_ = dp_table::sources_of(definition_.table);
  const auto array = [&](const char* name, ElementType type, bool kept) {
    run::ArraySpec spec;
    spec.name = name;
    spec.role = kept ? run::Role::result : run::Role::scratch;
    spec.type = type;
    spec.shape = definition_.table.extents;
    spec.tile = tiles_.shape();
    spec.kept = 1;
    spec.generations = 1 + std::ssize(passes_);
    if (spec.generations > 1) return spec;
    add_slots(spec);
    return spec;
  };
  arrays_.push_back(array("table", definition_.table.type, definition_.keeps_table));
  if (definition_.keeps_choice) arrays_.push_back(array("choice", ElementType::i32, true));
}

/// A tile is written once, so it takes one slot in all.
void TablePlan::add_slots(run::ArraySpec& array) const {
  array.live = std::max<std::int64_t>(1, live_tiles());
  if (!levels_ || array.role == run::Role::result) {
    array.slots = std::clamp<std::int64_t>(tiles_.count(), 1, slots_of_dropped(array.live));
    return;
  }
  // Devices make tiles of later levels before others of earlier ones. Slots of a file that states its slots are kept
  // for the blocks that come first.
  array.live = std::min(tiles_.count(), array.live + 2 * levels_->widest());
  array.slots = std::min(tiles_.count(), slots_of_dropped(array.live));
  array.slot_file = array.name;
  array.slot_bytes = whole_pages(volume(array.tile) * static_cast<std::int64_t>(size_of(array.type)));
}

std::optional<run::Phase> TablePlan::phase(std::int64_t number, const run::Tally& tally) const {
  const auto makes_tiles = [&](Work work, std::int64_t step) {
    return run::Phase{number, tiles_.count(), run::Order::in_turn,
                      PhaseWork{static_cast<std::int64_t>(work), step, 0, 0}};
  };
  if (number == 0) return makes_tiles(is_by_steps() ? Work::begin : Work::all_steps, 0);
  if (number <= std::ssize(passes_)) return makes_tiles(Work::step, passes_[static_cast<std::size_t>(number - 1)]);
  if (!definition_.keeps_solution) return std::nullopt;
  const TableFindings& found = static_cast<const TableTally&>(tally).findings();
  if (found.ended) return std::nullopt;
  const std::int64_t tile = tiles_.tile_of(found.cell);
  const Box box = tiles_.box(tile);
  const Extents strides = row_major_strides(definition_.table.extents);
  PhaseWork value{static_cast<std::int64_t>(Work::walk), 0, tile, 0};
  for (int d = 0; d < found.cell.rank(); ++d) value.cell += (found.cell[d] - box.begin[d]) * strides[d];
  return run::Phase{number, 1, run::Order::in_turn, value};
}

std::string TablePlan::part(const run::Phase& phase) const {
  if (!definition_.keeps_solution) return "";
  return work_of(phase).what() == Work::walk ? "way back" : "cells";
}

int TablePlan::devices(int available) const {
  return static_cast<int>(std::min<std::int64_t>(available, dealing_.devices));
}

int TablePlan::device(const run::Phase& phase, std::int64_t index, int devices) const {
  if (!levels_) return 0;
  const std::int64_t tile = walks(phase) ? work_of(phase).tile : index;
  if (!is_by_steps()) return levels_->device(tile, devices);
  return static_cast<int>(DealtParts{tiles_.count(), devices}.part_of(tile));
}

std::string TablePlan::dealt() const {
  if (!levels_) return dealing_.why_not;
  const std::string tiles = std::to_string(tiles_.count()) + " tiles";
  return is_by_steps() ? tiles : tiles + " in " + std::to_string(levels_->count()) + " levels";
}

/// Lists the tiles that the block of `tile`, which has its accesses, is the last to use.
void TablePlan::add_last_uses(std::int64_t tile, run::Block& block) const {
  for (const run::Access& access : block.accesses) {
    if (access.array != table_array) continue;
    Extents last = access.box.end;
    for (int d = 0; d < last.rank(); ++d) --last[d];
    for (std::int64_t used = tiles_.tile_of(access.box.begin); used <= tiles_.tile_of(last); ++used) {
      if (tiles_.last_reader(used, sources_) != tile) continue;
      block.last_uses.push_back({table_array, access.generation, tiles_.box(used)});
    }
  }
}

run::Block TablePlan::block(const run::Phase& phase, std::int64_t index) const {
  if (work_of(phase).what() == Work::step) return block_of_step(phase, index);
  const bool walks = work_of(phase).what() == Work::walk;
  const std::int64_t tile = walks ? work_of(phase).tile : index;
  const Box box = tiles_.box(tile);
  run::Block block;
  block.accesses.push_back({Slot::cells, table_array, 1, box, walks ? run::Mode::read : run::Mode::write});
  if (!walks && definition_.keeps_choice) {
    block.accesses.push_back({Slot::choice, choice_array, 1, box, run::Mode::write});
  }
  for (std::size_t number = 0; number < sources_.size(); ++number) {
    const Box read = tiles_.read(tile, sources_[number], number == 0);
    if (volume(read.shape()) == 0) continue;
    block.accesses.push_back({{Slot::source, number}, table_array, 1, read, run::Mode::read, run::View::contiguous});
  }
  if (walks || !passes_.empty()) return block;
  block.operations = static_cast<double>(volume(box.shape()));
  if (drops()) add_last_uses(tile, block);
  return block;
}

run::Block TablePlan::block_of_step(const run::Phase& phase, std::int64_t tile) const {
  const Box box = tiles_.box(tile);
  run::Block block;
  block.accesses.push_back({Slot::cells, table_array, phase.number, box, run::Mode::update});
  const Box read = tiles_.read(tile, definition_.table.steps.step(work_of(phase).step));
  if (volume(read.shape()) > 0) {
    block.accesses.push_back(
        {Slot::source, table_array, phase.number + 1, read, run::Mode::read, run::View::contiguous});
  }
  block.operations = static_cast<double>(volume(box.shape()));
  return block;
}

TableTask TablePlan::task(const run::Phase& phase, const run::BlockView& view) const {
  const PhaseWork work = work_of(phase);
  const bool walks = work.what() == Work::walk;
  const std::int64_t tile = walks ? work.tile : view.index;
  const Box box = tiles_.box(tile);
  const int rows = definition_.table.cut.whole;
  TableTask task{};
  for (int d = 0; d < rows; ++d) task.prefix[d] = box.begin[d];
  task.first_row = box.begin[rows];
  task.rows = box.end[rows] - box.begin[rows];
  task.walk_from = walks ? work.cell : -1;
  task.pass = work.pass();
  const auto element = static_cast<std::int64_t>(size_of(definition_.table.type));
  run::bind_slots(slots, view, task, TileRows{rows, tiles_.row_cells() * element});
  return task;
}

bool TablePlan::walks(const run::Phase& phase) const { return work_of(phase).what() == Work::walk; }

Extents TablePlan::cell_of(std::int64_t tile, std::int64_t index) const {
  const Box box = tiles_.box(tile);
  const Extents strides = row_major_strides(box.shape());
  Extents cell = box.begin;
  for (int d = 0; d < cell.rank(); ++d) {
    cell[d] += index / strides[d];
    index %= strides[d];
  }
  return cell;
}

std::unique_ptr<run::Worker> TablePlan::make_worker(device::Context& context) const {
  using Worker = KernelWorker<TablePlan>;
  const dp_table::TableSpec spec{definition_.table, definition_.keeps_choice};
  const dp_table::TableMethod& method = table_method(spec, backend_of(context), context.limits());
  auto workspace = workspace_for(method, spec, context);
  auto kernel = make_kernel(method, spec, context, workspace.get());
  return std::make_unique<Worker>(*this, std::move(kernel), std::move(workspace));
}

}  // namespace terrace::stages
