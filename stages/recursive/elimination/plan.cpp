#include "stages/recursive/elimination/plan.hpp"

#include <algorithm>
#include <cstring>

#include "pipeline/base/error.hpp"
#include "stages/recursive/tile_plan.hpp"

namespace terrace::stages {

using recursive::Function;
using recursive::TileTask;
using run::Mode;
using run::Role;

namespace {

constexpr int input_array = 0, lu_array = 1;

/// The fraction of a whole product's multiplications that triangles need.
double share(Function function) { return function == Function::a ? 1.0 / 3 : function == Function::d ? 1 : 1.0 / 2; }

}  // namespace

EliminationPlan::EliminationPlan(EliminationCut cut, std::shared_ptr<io::Source> matrix, std::string matrix_name)
    : cut_(std::move(cut)),
      matrix_name_(std::move(matrix_name)),
      across_((cut_.rows + cut_.tile - 1) / cut_.tile),
      order_(RecursiveOrder::elimination(across_, cut_.ways)) {
  run::ArraySpec input;
  input.name = "input";
  input.role = Role::input;
  input.type = cut_.spec.value;
  input.shape = {cut_.rows, cut_.rows};
  input.tile = {cut_.tile, cut_.tile};
  run::ArraySpec table = input;
  input.source = std::move(matrix);
  table.name = "lu";
  table.role = Role::result;
  table.generations = std::max<std::int64_t>(1, across_);
  table.kept = 1;
  arrays_ = {std::move(input), std::move(table)};
}

Box EliminationPlan::tile(std::int64_t i, std::int64_t j) const {
  const std::int64_t side = cut_.tile;
  return {{i * side, j * side}, {std::min(cut_.rows, (i + 1) * side), std::min(cut_.rows, (j + 1) * side)}};
}

std::optional<run::Phase> EliminationPlan::phase(std::int64_t number, const run::Tally&) const {
  if (number > 0) return std::nullopt;
  return run::Phase{number, order_.count(), run::Order::in_turn};
}

int EliminationPlan::device(const run::Phase&, std::int64_t index, int devices) const {
  return lines().device(order_.at(index).i, devices);
}

run::Block EliminationPlan::block(const run::Phase&, std::int64_t index) const {
  const Update at = order_.at(index);
  const Box x = tile(at.i, at.j);
  const std::int64_t before = across_ - order_.updates_of(at.i, at.j) + at.k;
  run::Block block;
  block.operations = share(function_of(at)) * static_cast<double>(x.volume() * tile(at.k, at.k).shape()[0]);
  if (at.k > 0) {
    block.accesses.push_back({TileSlot::x, lu_array, before, x, Mode::update});
  } else {
    block.accesses.push_back({TileSlot::x, lu_array, before + 1, x, Mode::write});
    block.accesses.push_back({TileSlot::input, input_array, 0, x, Mode::read});
  }
  // Tiles of the pivots' columns and rows are finished. Rows next to a diagonal tile need its L, columns its U.
  const auto read = [&](TileSlot slot, std::int64_t i, std::int64_t j) {
    block.accesses.push_back({slot, lu_array, across_, tile(i, j), Mode::read});
  };
  const Function function = function_of(at);
  if (function == Function::b || function == Function::d) read(TileSlot::u, at.i, at.k);
  if (function == Function::c || function == Function::d) read(TileSlot::v, at.k, at.j);
  return block;
}

TileTask EliminationPlan::task(const run::Phase&, const run::BlockView& view) const {
  const Update at = order_.at(view.index);
  const Box pivots = tile(at.k, at.k), x = tile(at.i, at.j);
  TileTask task{};
  task.rows = x.shape()[0];
  task.columns = x.shape()[1];
  task.function = function_of(at);
  task.depth = pivots.shape()[0];
  task.first_pivot = pivots.begin[0];
  run::bind_slots(tile_slots, view, task);
  return task;
}

std::unique_ptr<run::Worker> EliminationPlan::make_worker(device::Context& context) const {
  return make_tile_worker(*this, cut_.spec, cut_.tile, context);
}

void EliminationTally::fold(const run::Phase&, std::int64_t, const void* folded) {
  recursive::TileResult result;
  std::memcpy(&result, folded, sizeof result);
  if (result.negative_pivot < 0) return;
  throw ComputeError(
      "the pivot in row " + std::to_string(result.negative_pivot) + " of '" + plan_.matrix_name() +
      "' (counted from 0) is zero, or so small beside what is below it that rows are lost in "
      "rounding, or not finite: eliminate without pivoting after putting the rows in another order, or "
      "with `type: f64`");
}

}  // namespace terrace::stages
