#include "stages/recursive/elimination/program.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/recursive/task.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::stages {

using recursive::Function;
using recursive::TileResult;
using recursive::TileTask;
using run::Mode;
using run::Role;

namespace {

constexpr int input_array = 0, table_array = 1;

Function function_of(const Update& at) {
  if (at.i == at.k) return at.j == at.k ? Function::a : Function::b;
  return at.j == at.k ? Function::c : Function::d;
}

/// Of the multiplications of a whole product those that triangles leave.
double share(Function function) { return function == Function::a ? 1.0 / 3 : function == Function::d ? 1 : 1.0 / 2; }

}  // namespace

EliminationProgram::EliminationProgram(EliminationPlan plan, std::shared_ptr<io::Source> matrix,
                                       std::string matrix_name)
    : plan_(std::move(plan)),
      matrix_name_(std::move(matrix_name)),
      across_((plan_.rows + plan_.tile - 1) / plan_.tile),
      order_(RecursiveOrder::elimination(across_, plan_.ways)) {
  run::ArraySpec input;
  input.name = "input";
  input.role = Role::input;
  input.type = plan_.spec.value;
  input.shape = {plan_.rows, plan_.rows};
  input.tile = {plan_.tile, plan_.tile};
  run::ArraySpec table = input;
  input.source = std::move(matrix);
  table.name = "lu";
  table.role = Role::result;
  table.generations = std::max<std::int64_t>(1, across_);
  table.kept = 1;
  arrays_ = {std::move(input), std::move(table)};
}

EliminationProgram::~EliminationProgram() = default;

Box EliminationProgram::tile(std::int64_t i, std::int64_t j) const {
  const std::int64_t side = plan_.tile;
  return {{i * side, j * side}, {std::min(plan_.rows, (i + 1) * side), std::min(plan_.rows, (j + 1) * side)}};
}

std::optional<run::Phase> EliminationProgram::phase(std::int64_t number) {
  if (number > 0) return std::nullopt;
  run::Phase phase;
  phase.count = order_.count();
  return phase;
}

run::Block EliminationProgram::block(const run::Phase&, std::int64_t, std::int64_t index) const {
  const Update at = order_.at(index);
  const Box x = tile(at.i, at.j);
  const std::int64_t before = across_ - order_.updates_of(at.i, at.j) + at.k;
  run::Block block;
  block.operations = share(function_of(at)) * static_cast<double>(x.volume() * tile(at.k, at.k).shape()[0]);
  if (at.k > 0) {
    block.accesses.push_back({table_array, before, x, Mode::update});
  } else {
    block.accesses.push_back({table_array, before + 1, x, Mode::write});
    block.accesses.push_back({input_array, 0, x, Mode::read});
  }
  // What comes from the pivots' columns and rows is finished. Rows beside a diagonal tile need its L, columns its U.
  const auto read = [&](std::int64_t i, std::int64_t j) {
    block.accesses.push_back({table_array, across_, tile(i, j), Mode::read});
  };
  const Function function = function_of(at);
  if (function == Function::b || function == Function::d) read(at.i, at.k);
  if (function == Function::c || function == Function::d) read(at.k, at.j);
  return block;
}

void EliminationProgram::open(device::Context& context, int) {
  opened_.push_back(std::make_unique<OpenedTiles>(plan_.spec, plan_.tile, context));
}

std::size_t EliminationProgram::descriptor_bytes() const { return sizeof(TileTask); }
std::size_t EliminationProgram::result_bytes() const { return sizeof(TileResult); }

void EliminationProgram::describe(const run::Phase&, const run::BlockView& view, void* descriptor) const {
  const Update at = order_.at(view.index);
  const Box pivots = tile(at.k, at.k), x = tile(at.i, at.j);
  TileTask task{};
  task.rows = x.shape()[0];
  task.columns = x.shape()[1];
  task.function = function_of(at);
  task.depth = pivots.shape()[0];
  task.first_pivot = pivots.begin[0];
  std::size_t next = 0;
  const auto take = [&](auto*& data, device::i64& stride) {
    const run::TileView& tile = view.accesses[next++].tiles[0];
    data = tile.data;
    stride = tile.strides[0];
  };
  take(task.x, task.x_stride);
  if (at.k == 0) take(task.input, task.input_stride);
  if (task.function == Function::b || task.function == Function::d) take(task.u, task.u_stride);
  if (task.function == Function::c || task.function == Function::d) take(task.v, task.v_stride);
  std::memcpy(descriptor, &task, sizeof task);
}

void EliminationProgram::run(const run::Phase&, std::int64_t, const device::Port& port, int, device::Context&,
                             int device) {
  opened_[static_cast<std::size_t>(device)]->run(port);
}

void EliminationProgram::failed(const run::Phase&, std::int64_t, std::int64_t index, int) {
  throw ComputeError("block " + std::to_string(index) + " of an elimination failed, which no block does");
}

void EliminationProgram::fold(const run::Phase&, std::int64_t, std::int64_t, const void* folded) {
  TileResult result;
  std::memcpy(&result, folded, sizeof result);
  if (result.negative_pivot < 0) return;
  throw ComputeError(
      "the pivot in row " + std::to_string(result.negative_pivot) + " of '" + matrix_name_ +
      "' (counted from 0) is zero, or so small beside what is below it that rows are lost in "
      "rounding, or not finite: eliminate without pivoting after putting the rows in another order, or "
      "with `type: f64`");
}

}  // namespace terrace::stages
