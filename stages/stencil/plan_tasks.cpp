// The descriptors of a stencil's blocks, of what their accesses hold.
#include <algorithm>

#include "pipeline/run/slots.hpp"
#include "stages/kernel_worker.hpp"
#include "stages/stage_methods.hpp"
#include "stages/stencil/plan.hpp"
#include "stages/stencil/stencil_slot.hpp"

namespace terrace::stages {

using stencil::RowRange;
using stencil::Slab;
using stencil::StencilTask;

namespace {

/// Adds the rows of a tile of which `data` holds rows [begin, end) to the pieces of an array.
void add_piece(stencil::Rows& rows, std::int64_t begin, std::int64_t end, std::byte* data) {
  if (rows.pieces == stencil::Rows::most_pieces) throw Error("a slab of a stencil touches too many tiles");
  rows.begin[rows.pieces] = begin;
  rows.data[rows.pieces] = data;
  rows.end = end;
  ++rows.pieces;
}

/// Sets a work around passes, and its rows.
void set_rows(stencil::Work work, RowRange rows, StencilTask& task) {
  task.work = work;
  task.row_begin = rows.begin;
  task.row_end = rows.end;
}

/// The rows that a block's accesses hold.
struct HeldRows {
  RowRange rim_above{0, 0}, rim_below{0, 0}, target{0, 0};
  /// Shifts of the rows of `own` and `array`, an access each; without, rows are those of the grid.
  std::vector<RowPiece> own = {}, arrays = {};
};

using SlotField = run::SlotField<StencilTask, HeldRows>;

/// Binds an access that holds rows of the grid: they become pieces of an element of `Member`.
template <auto Member, auto Shifts>
void bind_grid_rows(StencilTask& task, const run::SlotPiece& piece, const HeldRows& held) {
  const auto& pieces = held.*Shifts;
  const std::int64_t shift = pieces.empty() ? 0 : pieces[static_cast<std::size_t>(piece.number)].shift;
  const Box& box = piece.tile.box;
  add_piece((task.*Member)[piece.index], box.begin[0] + shift, box.end[0] + shift, piece.tile.data);
}

/// Binds an access whose tile holds the rows `Held` of the grid.
template <auto Member, auto Held>
void bind_held_rows(StencilTask& task, const run::SlotPiece& piece, const HeldRows& held) {
  const RowRange& rows = held.*Held;
  add_piece((task.*Member)[piece.index], rows.begin, rows.end, piece.tile.data);
}

/// Binds tiles that a slab of a stream writes.
void bind_left(StencilTask& task, const run::SlotPiece& piece, const HeldRows&) {
  const Box& box = piece.tile.box;
  add_piece(task.targets[piece.index], box.begin[0], box.end[0], piece.tile.data);
}

void bind_changes(StencilTask& task, const run::SlotPiece& piece, const HeldRows&) {
  add_piece(task.changes, piece.tile.box.begin[0], piece.tile.box.end[0], piece.tile.data);
}

/// Rows of fields become pieces from top to bottom.
constexpr SlotField slots[] = {
    {StencilSlot::rim_above, "rim above", bind_held_rows<&StencilTask::fields, &HeldRows::rim_above>,
     stencil::most_fields},
    {StencilSlot::own, "own tiles", bind_grid_rows<&StencilTask::fields, &HeldRows::own>, stencil::most_fields, true},
    {StencilSlot::rim_below, "rim below", bind_held_rows<&StencilTask::fields, &HeldRows::rim_below>,
     stencil::most_fields},
    {StencilSlot::array, "array", bind_grid_rows<&StencilTask::arrays, &HeldRows::arrays>, stencil::most_arrays,
     true},
    run::field<&StencilTask::carry>(StencilSlot::carry, "carry"),
    run::field<&StencilTask::traces>(StencilSlot::traces, "traces"),
    {StencilSlot::left, "tiles that are left", bind_left, stencil::most_fields, true},
    {StencilSlot::target, "target", bind_held_rows<&StencilTask::targets, &HeldRows::target>, stencil::most_fields},
    {StencilSlot::changes, "changes", bind_changes, 1, true},
};

}  // namespace

StencilTask StencilPlan::task(const run::Phase& phase, const run::BlockView& view) const {
  const StencilPhase value = value_of(phase);
  StencilTask task{};
  HeldRows held;
  switch (value.work) {
    case StencilWork::pass: {
      const Slab slab = cut_.slab(view.index, value.steps);
      task = cut_.task_of(slab, value.step, value.steps);
      task.counts = value.counts != 0 ? 1 : 0;
      task.measures = changes_ >= 0 && timeline_.is_checked(value) ? 1 : 0;
      held.rim_above = slab.above;
      held.rim_below = slab.below;
      held.target = slab.rows;
      if (cut_.streams()) held.own = pieces_of(cut_.taken_rows(slab, value.steps));
      held.arrays = array_pieces(slab, value.steps);
      break;
    }
    case StencilWork::total:
      set_rows(stencil::Work::total, {changes_tile(view.index).begin[0], changes_tile(view.index).end[0]}, task);
      break;
    case StencilWork::record: {
      const RowRange times = recorded_times(value, view.index);
      set_rows(stencil::Work::record, {times.begin, std::max(times.begin, times.end)}, task);
      held.target = times;
      break;
    }
    case StencilWork::rims:
      set_rows(stencil::Work::save, rim_of(view.index, value.steps), task);
      held.target = rim_of(view.index, value.steps);
      held.own = pieces_of(held.target);
      break;
    case StencilWork::snapshot:
      set_rows(stencil::Work::save, cut_.tile(view.index), task);
      held.target = cut_.tile(view.index);
      break;
    case StencilWork::finish:
      task.work = stencil::Work::save;
      if (value.counts == 0) return task;  // no rows are copied
      set_rows(stencil::Work::count, cut_.tile(view.index), task);
      break;
  }
  run::bind_slots(slots, view, task, held);
  return task;
}

std::unique_ptr<run::Worker> StencilPlan::make_worker(device::Context& context) const {
  using Worker = KernelWorker<StencilPlan>;
  auto workspace = workspace_for(method(), spec_, context);
  auto kernel = method_.make(spec_, context, workspace.get());
  return std::make_unique<Worker>(*this, std::move(kernel), std::move(workspace));
}

}  // namespace terrace::stages
