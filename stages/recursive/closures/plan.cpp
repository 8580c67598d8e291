#include "stages/recursive/closures/plan.hpp"

#include <algorithm>

#include "stages/recursive/closures/tally.hpp"
#include "stages/recursive/packed_words.hpp"
#include "stages/recursive/tile_plan.hpp"

namespace terrace::stages {

using recursive::Function;
using recursive::TileTask;
using run::Mode;
using run::Role;

ClosurePlan::ClosurePlan(ClosureCut cut, std::shared_ptr<io::Source> matrix, std::string matrix_name,
                         std::shared_ptr<const io::NodeNames> nodes)
    : cut_(std::move(cut)),
      matrix_name_(std::move(matrix_name)),
      nodes_(std::move(nodes)),
      across_((cut_.nodes + cut_.tile - 1) / cut_.tile),
      order_(RecursiveOrder::closure(across_, cut_.ways)),
      arrays_(cut_.tile) {
  const bool bits = recursive::has_bits(cut_.spec.table);
  const std::int64_t nodes_across = cut_.nodes;
  input_ = arrays_.add_input("input", {nodes_across, nodes_across, bits ? cells_of_word : 1}, std::move(matrix));
  const UpdatedArrays updated =
      arrays_.add_updated(bits ? "closure" : "distance", "reached", cut_.spec, nodes_across, nodes_across, across_);
  table_ = updated.table;
  output_ = updated.output;
  if (!recursive::has_trails(cut_.spec.table)) return;
  trail_ = arrays_.add_in_place("trail", Role::scratch, recursive::trail_type(cut_.spec.table),
                                {nodes_across, nodes_across}, across_);
  output_ = arrays_.add_written("next", ElementType::i32, {nodes_across, nodes_across});
}

std::optional<run::Phase> ClosurePlan::phase(std::int64_t number, const run::Tally& tally) const {
  if (inspects() && number == 0) {
    return run::Phase{number, across_ * across_, run::Order::any, TilePhase{.inspects = 1, .clamps = 0}};
  }
  if (number != (inspects() ? 1 : 0)) return std::nullopt;
  TilePhase value{};
  if (cut_.stated) value.clamps = cut_.stated->any && cut_.stated->least < 0 ? 1 : 0;
  if (inspects()) {
    const auto& found = static_cast<const ClosureTally&>(tally);
    found.check_range();
    value.clamps = found.has_negative() ? 1 : 0;
  }
  return run::Phase{number, order_.count(), run::Order::in_turn, value};
}

run::Block ClosurePlan::block(const run::Phase& phase, std::int64_t index) const {
  if (phase.value.as<TilePhase>().inspects == 0) return update(order_.at(index), index);
  return {{{TileSlot::input, input_, 0, arrays_.tile(input_, index / across_, index % across_), Mode::read}}, 0};
}

int ClosurePlan::device(const run::Phase& phase, std::int64_t index, int devices) const {
  const bool inspects = phase.value.as<TilePhase>().inspects != 0;
  return lines().device(inspects ? index / across_ : order_.at(index).i, devices);
}

run::Block ClosurePlan::update(const Update& at, std::int64_t index) const {
  const auto rows_of = [&](std::int64_t i) {
    return static_cast<double>(std::min(cut_.nodes, (i + 1) * cut_.tile) - i * cut_.tile);
  };
  run::Block block;
  block.operations = rows_of(at.i) * rows_of(at.j) * rows_of(at.k);
  const auto tables = [&](TileSlot slot, TileSlot trail_slot, std::int64_t generation, std::int64_t i, std::int64_t j,
                          Mode mode) {
    block.accesses.push_back({slot, table_, generation, arrays_.tile(table_, i, j), mode});
    if (trail_ >= 0) block.accesses.push_back({trail_slot, trail_, generation, arrays_.tile(trail_, i, j), mode});
  };
  // Other updates of a tile come after all updates with smaller k.
  const bool first = at.k == 0;
  tables(TileSlot::x, TileSlot::x_trail, first ? 1 : at.k, at.i, at.j, first ? Mode::write : Mode::update);
  if (first) block.accesses.push_back({TileSlot::input, input_, 0, arrays_.tile(input_, at.i, at.j), Mode::read});
  // u and v, if they are not x itself.
  if (at.j != at.k) {
    tables(TileSlot::u, TileSlot::u_trail, order_.updates_before(at.i, at.k, index), at.i, at.k, Mode::read);
  }
  if (at.i != at.k) {
    tables(TileSlot::v, TileSlot::v_trail, order_.updates_before(at.k, at.j, index), at.k, at.j, Mode::read);
  }
  if (output_ >= 0 && at.k + 1 == across_) {
    block.accesses.push_back({TileSlot::output, output_, 1, arrays_.tile(output_, at.i, at.j), Mode::write});
  }
  return block;
}

TileTask ClosurePlan::task(const run::Phase& phase, const run::BlockView& view) const {
  const auto value = phase.value.as<TilePhase>();
  TileTask task{};
  Box x;
  if (value.inspects != 0) {
    task.function = Function::inspect;
    x = arrays_.tile(input_, view.index / across_, view.index % across_);
  } else {
    const Update at = order_.at(view.index);
    x = arrays_.tile(table_, at.i, at.j);
    task.function = function_of(at);
    task.first_pivot = at.k * cut_.tile;
    task.depth = std::min<std::int64_t>(cut_.nodes, task.first_pivot + cut_.tile) - task.first_pivot;
    task.last = at.k + 1 == across_;
    task.clamped = value.clamps != 0;
    task.first_row = x.begin[0];
    task.first_column = x.begin[1];
    task.loops = cut_.loops;
    if (output_ >= 0) task.output_columns = arrays_.tile(output_, at.i, at.j).shape()[1];
  }
  task.rows = x.shape()[0];
  task.columns = x.shape()[1];
  run::bind_slots(tile_slots, view, task);
  return task;
}

std::unique_ptr<run::Worker> ClosurePlan::make_worker(device::Context& context) const {
  return make_tile_worker(*this, cut_.spec, cut_.tile, context);
}

}  // namespace terrace::stages
