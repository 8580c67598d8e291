#include "stages/recursive/closures/plan.hpp"

#include <algorithm>

#include "stages/recursive/closures/edges.hpp"
#include "stages/recursive/closures/tally.hpp"
#include "stages/recursive/tile_plan.hpp"

namespace terrace::stages {

using recursive::Function;
using recursive::TileTask;
using run::ArraySpec;
using run::Mode;
using run::Role;

ClosurePlan::ClosurePlan(ClosureCut cut, std::shared_ptr<io::Source> matrix, std::string matrix_name,
                         std::shared_ptr<const io::NodeNames> nodes)
    : cut_(std::move(cut)),
      matrix_name_(std::move(matrix_name)),
      nodes_(std::move(nodes)),
      across_((cut_.nodes + cut_.tile - 1) / cut_.tile),
      order_(RecursiveOrder::closure(across_, cut_.ways)) {
  const bool bits = recursive::has_bits(cut_.spec.table);
  const std::int64_t cells = bits ? cells_of_word : 1;
  input_ = add_array("input", Role::input, cut_.spec.value, cells);
  arrays_.back().source = std::move(matrix);
  table_ = add_array(bits ? "reached" : "distance", bits ? Role::scratch : Role::result, cut_.spec.value, cells);
  if (bits) {
    output_ =
        add_array("closure", Role::result, ElementType::u8, cut_.spec.table == recursive::Table::packed_bits ? 8 : 1);
  } else if (recursive::has_trails(cut_.spec.table)) {
    trail_ = add_array("trail", Role::scratch, recursive::trail_type(cut_.spec.table));
    output_ = add_array("next", Role::result, ElementType::i32);
  }
  if (output_ >= 0) arrays_[static_cast<std::size_t>(output_)].generations = 1;
}

int ClosurePlan::add_array(const std::string& name, Role role, ElementType type, std::int64_t cells) {
  ArraySpec spec;
  spec.name = name;
  spec.role = role;
  spec.type = type;
  spec.shape = {cut_.nodes, (cut_.nodes + cells - 1) / cells};
  spec.tile = {cut_.tile, cut_.tile / cells};
  spec.generations = std::max<std::int64_t>(1, across_);
  spec.kept = 1;
  arrays_.push_back(std::move(spec));
  cells_.push_back(cells);
  return static_cast<int>(arrays_.size()) - 1;
}

Box ClosurePlan::tile(int array, std::int64_t i, std::int64_t j) const {
  const std::int64_t side = cut_.tile, cells = cells_[static_cast<std::size_t>(array)];
  const auto column = [&](std::int64_t at) { return (std::min(cut_.nodes, at) + cells - 1) / cells; };
  return {{i * side, column(j * side)}, {std::min(cut_.nodes, (i + 1) * side), column((j + 1) * side)}};
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
  return {{{TileSlot::input, input_, 0, tile(input_, index / across_, index % across_), Mode::read}}, 0};
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
    block.accesses.push_back({slot, table_, generation, tile(table_, i, j), mode});
    if (trail_ >= 0) block.accesses.push_back({trail_slot, trail_, generation, tile(trail_, i, j), mode});
  };
  // Other updates of a tile come after all updates with smaller k.
  const bool first = at.k == 0;
  tables(TileSlot::x, TileSlot::x_trail, first ? 1 : at.k, at.i, at.j, first ? Mode::write : Mode::update);
  if (first) block.accesses.push_back({TileSlot::input, input_, 0, tile(input_, at.i, at.j), Mode::read});
  // u and v, if they are not x itself.
  if (at.j != at.k) {
    tables(TileSlot::u, TileSlot::u_trail, order_.updates_before(at.i, at.k, index), at.i, at.k, Mode::read);
  }
  if (at.i != at.k) {
    tables(TileSlot::v, TileSlot::v_trail, order_.updates_before(at.k, at.j, index), at.k, at.j, Mode::read);
  }
  if (output_ >= 0 && at.k + 1 == across_) {
    block.accesses.push_back({TileSlot::output, output_, 1, tile(output_, at.i, at.j), Mode::write});
  }
  return block;
}

TileTask ClosurePlan::task(const run::Phase& phase, const run::BlockView& view) const {
  const auto value = phase.value.as<TilePhase>();
  TileTask task{};
  Box x;
  if (value.inspects != 0) {
    task.function = Function::inspect;
    x = tile(input_, view.index / across_, view.index % across_);
  } else {
    const Update at = order_.at(view.index);
    x = tile(table_, at.i, at.j);
    task.function = function_of(at);
    task.first_pivot = at.k * cut_.tile;
    task.depth = std::min<std::int64_t>(cut_.nodes, task.first_pivot + cut_.tile) - task.first_pivot;
    task.last = at.k + 1 == across_;
    task.clamped = value.clamps != 0;
    task.first_row = x.begin[0];
    task.first_column = x.begin[1];
    task.loops = cut_.loops;
    if (output_ >= 0) task.output_columns = tile(output_, at.i, at.j).shape()[1];
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
