#include "stages/wavefront/alignment/plan.hpp"

#include <algorithm>

#include "kernels/wavefront/window.hpp"
#include "pipeline/base/error.hpp"
#include "stages/wavefront/alignment/tally.hpp"
#include "stages/wavefront/alignment/worker.hpp"

namespace terrace::stages {

using run::Mode;
using wavefront::PathPlace;

namespace {

/// True if the cell that the path is in lies in the box.
bool holds(const Box& box, const PathPlace& place) {
  return place.row > box.begin[0] && place.row <= box.end[0] && place.column > box.begin[1] &&
         place.column <= box.end[1];
}

/// The sweep of a box of the level.
AlignmentPhase phase_in(std::size_t level, const KeptBox& box) {
  AlignmentPhase phase{};
  phase.level = static_cast<std::int64_t>(level);
  phase.row_begin = box.cells.begin[0];
  phase.row_end = box.cells.end[0];
  phase.column_begin = box.cells.begin[1];
  phase.column_end = box.cells.end[1];
  phase.row_generation = box.row_generation;
  phase.column_generation = box.column_generation;
  return phase;
}

}  // namespace

wavefront::SweepSpec table_sweep(wavefront::SweepSpec spec, const AlignmentLevels& levels) {
  const AlignmentLevel& table = levels.front();
  spec.block_rows = table.block_rows;
  spec.block_columns = table.block_columns;
  spec.cell_rows = table.block_rows > table.cell_rows ? table.cell_rows : 0;
  spec.cell_columns = table.block_columns > table.cell_columns ? table.cell_columns : 0;
  return spec;
}

std::int64_t AlignmentPlan::BoxGrid::across() const {
  return (box.end[1] - box.begin[1] + block_columns - 1) / block_columns;
}

std::int64_t AlignmentPlan::BoxGrid::count() const {
  return (box.end[0] - box.begin[0] + block_rows - 1) / block_rows * across();
}

Box AlignmentPlan::BoxGrid::block(std::int64_t index) const {
  const std::int64_t row = box.begin[0] + index / across() * block_rows;
  const std::int64_t column = box.begin[1] + index % across() * block_columns;
  return {{row, column}, {std::min(box.end[0], row + block_rows), std::min(box.end[1], column + block_columns)}};
}

AlignmentPlan::AlignmentPlan(wavefront::SweepSpec spec, const WavefrontInputs& inputs, AlignmentLevels levels)
    : WavefrontPlan(std::move(spec), inputs),
      levels_(std::move(levels)),
      borders_(levels_, planes_, spec_.border, spec_.rows, spec_.columns) {
  for (run::ArraySpec& array : borders_.arrays(static_cast<int>(arrays().size()))) add(std::move(array));
}

// --- phases
// ---------------------------------------------------------------------------------------------------------

AlignmentPhase AlignmentPlan::phase_of(std::size_t level, const KeptBox& box, bool walks,
                                       const AlignmentTally& tally) const {
  AlignmentPhase phase = phase_in(level, box);
  phase.walks = walks ? 1 : 0;
  const auto above = borders_.level_around(level, box.cells, 0), before = borders_.level_around(level, box.cells, 1);
  if (above) phase.above_generation = tally.boxes()[*above].row_generation;
  if (before) phase.before_generation = tally.boxes()[*before].column_generation;
  phase.place = PlaceValue::of(tally.path().place());
  return phase;
}

AlignmentPhase AlignmentPlan::next(const AlignmentTally& tally) const {
  const PathPlace& place = tally.path().place();
  const std::vector<KeptBox>& boxes = tally.boxes();
  const std::size_t last = levels_.size() - 1;
  std::size_t level = last;
  while (!holds(boxes[level].cells, place)) {
    if (level-- > 0) continue;
    throw ComputeError(
        "the path has left the table at row " + std::to_string(place.row) + " and column " +
        std::to_string(place.column) +
        ": an input, the disk or the memory has changed since it was swept; start over with --fresh=all");
  }
  if (level == last) return phase_of(last, boxes[last], true, tally);
  const AlignmentLevel& grid = levels_[level];
  const Box& around = boxes[level].cells;
  const std::int64_t row = around.begin[0] + (place.row - 1 - around.begin[0]) / grid.cell_rows * grid.cell_rows;
  const std::int64_t column =
      around.begin[1] + (place.column - 1 - around.begin[1]) / grid.cell_columns * grid.cell_columns;
  const Box cells{{row, column}, {place.row, place.column}};
  const bool keeps_rows = borders_.rows_kept(level + 1, cells) > 0;
  const bool keeps_columns = borders_.columns_kept(level + 1, cells) > 0;
  const KeptBox& before = boxes[level + 1];
  const KeptBox box{cells, before.row_generation + keeps_rows, before.column_generation + keeps_columns};
  return phase_of(level + 1, box, level + 1 == last && !keeps_rows && !keeps_columns, tally);
}

std::optional<run::Phase> AlignmentPlan::phase(std::int64_t number, const run::Tally& tally) const {
  if (number == 0) {
    return run::Phase{number, blocks(), run::Order::chain,
                      phase_in(0, {Box::whole({spec_.rows, spec_.columns}), 1, 1})};
  }
  const auto& folded = static_cast<const AlignmentTally&>(tally);
  if (folded.path().finished()) {
    folded.path().check({spec_, problem(), folded.score()}, row_items(), column_items(), watch());
    return std::nullopt;
  }
  const AlignmentPhase next_phase = next(folded);
  if (next_phase.walks != 0) return run::Phase{number, 1, run::Order::any, next_phase};
  return run::Phase{number, grid_of(next_phase).count(), run::Order::chain, next_phase};
}

std::string AlignmentPlan::part(const run::Phase& phase) const {
  const auto what = phase.value.as<AlignmentPhase>();
  if (what.walks != 0) return "walks";
  return what.level == 0 ? "table" : "boxes of level " + std::to_string(what.level);
}

AlignmentPlan::BoxGrid AlignmentPlan::grid_of(const AlignmentPhase& phase) const {
  const AlignmentLevel& grid = levels_[phase.box_level()];
  return {phase.box().cells, grid.block_rows, grid.block_columns};
}

Box AlignmentPlan::swept(const AlignmentPhase& phase, std::int64_t index) const {
  return phase.level == 0 ? cells_of(index) : grid_of(phase).block(index);
}

int AlignmentPlan::device(const run::Phase& phase, std::int64_t index, int devices) const {
  return phase.number == 0 ? WavefrontPlan::device(phase, index, devices) : 0;
}

// --- blocks
// ---------------------------------------------------------------------------------------------------------

/// The border above cells of the phase's box: of that box, or of a box around it; nullopt at the table's first
/// row.
std::optional<run::Access> AlignmentPlan::top_of(const AlignmentPhase& phase, const Box& cells) const {
  if (auto inside = borders_.above(phase.box_level(), phase.box(), cells)) return inside;
  const auto level = borders_.level_around(phase.box_level(), cells, 0);
  if (!level) return std::nullopt;
  return borders_.above(*level, {borders_.around(*level, cells), phase.above_generation, 0}, cells);
}

std::optional<run::Access> AlignmentPlan::left_of(const AlignmentPhase& phase, const Box& cells) const {
  if (auto inside = borders_.before(phase.box_level(), phase.box(), cells)) return inside;
  const auto level = borders_.level_around(phase.box_level(), cells, 1);
  if (!level) return std::nullopt;
  return borders_.before(*level, {borders_.around(*level, cells), 0, phase.before_generation}, cells);
}

run::Block AlignmentPlan::block(const run::Phase& phase, std::int64_t index) const {
  const auto what = phase.value.as<AlignmentPhase>();
  const std::size_t level = what.box_level();
  const KeptBox box = what.box();
  const Box cells = takes_box(what) ? box.cells : swept(what, index);
  run::Block block;
  read_inputs(cells, block.accesses);
  const auto add_border = [&](WavefrontSlot slot, std::optional<run::Access> border) {
    if (!border) return;
    border->slot = slot;
    block.accesses.push_back(*std::move(border));
  };
  add_border(WavefrontSlot::top, top_of(what, cells));
  add_border(WavefrontSlot::left, left_of(what, cells));
  if (takes_box(what)) {
    const Mode mode = what.walks != 0 ? Mode::read : Mode::write;
    add_border(WavefrontSlot::row_borders, borders_.rows_inside(level, box, mode));
    add_border(WavefrontSlot::column_borders, borders_.columns_inside(level, box, mode));
  } else {
    add_border(WavefrontSlot::bottom, borders_.below(level, box, cells));
    add_border(WavefrontSlot::right, borders_.right_of(level, box, cells));
  }
  if (what.walks == 0) {
    block.operations =
        wavefront::cells_in_window(window_, cells.begin[0], cells.end[0], cells.begin[1], cells.end[1]);
  }
  return block;
}

std::size_t AlignmentPlan::descriptor_bytes() const {
  return std::max(sizeof(wavefront::BlockTask), sizeof(wavefront::TraceTask));
}

wavefront::KeptTask AlignmentPlan::sweep_task(const AlignmentPhase& phase, std::int64_t index) const {
  wavefront::KeptTask task{};
  set_cells(swept(phase, index), task.block);
  task.block.row_border_stride = borders_.row_plane();
  task.block.column_border_stride = borders_.column_plane();
  return task;
}

wavefront::TraceTask AlignmentPlan::box_task(const AlignmentPhase& phase) const {
  const AlignmentLevel& grid = levels_[phase.box_level()];
  wavefront::TraceTask task{};
  set_cells(phase.box().cells, task);
  task.cell_rows = grid.cell_rows;
  task.cell_columns = grid.cell_columns;
  task.block_rows = grid.cell_rows;
  task.row_border_stride = borders_.row_plane();
  task.column_border_stride = borders_.column_plane();
  task.row_borders_stride = borders_.row_stride();
  task.column_borders_stride = borders_.column_stride();
  task.place = phase.place.place();
  return task;
}

std::unique_ptr<run::Worker> AlignmentPlan::make_worker(device::Context& context) const {
  return std::make_unique<AlignmentWorker>(*this, context);
}

}  // namespace terrace::stages
