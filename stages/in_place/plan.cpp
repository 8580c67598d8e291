#include "stages/in_place/plan.hpp"

#include <algorithm>

#include "stages/in_place/worker.hpp"
#include "stages/wavefront/blocks.hpp"

namespace terrace::stages {

using run::ArraySpec;
using run::Mode;
using run::Role;
using wavefront::InPlaceTask;

namespace {

constexpr int input_array = 0, grid_array = 1, border_array = 2;

}  // namespace

InPlacePlan::InPlacePlan(wavefront::InPlaceSpec spec, std::int64_t sweeps, std::shared_ptr<io::Source> grid)
    : spec_(std::move(spec)), sweeps_(sweeps) {
  passes_ = spec_.slabs() == 0 ? 1 : (sweeps_ + spec_.pass_sweeps - 1) / spec_.pass_sweeps;
  ArraySpec input;
  input.name = "input";
  input.role = Role::input;
  input.type = spec_.value;
  input.shape = {spec_.rows, spec_.columns};
  input.tile = {spec_.slab_rows, std::max<std::int64_t>(1, spec_.columns)};
  input.source = std::move(grid);
  ArraySpec result = input;
  result.name = "grid";
  result.role = Role::result;
  result.source = nullptr;
  result.generations = passes_;
  result.reads = 1;  // by the next pass
  ArraySpec border;
  border.name = "border";
  border.type = spec_.value;
  border.shape = {1, spec_.pass_sweeps + 1, spec_.columns};
  border.tile = border.shape;
  border.kept = blocks_in_flight + 2;
  border.reads = 1;
  arrays_ = {std::move(input), std::move(result)};
  if (spec_.slabs() > 1) arrays_.push_back(std::move(border));
}

std::int64_t InPlacePlan::sweeps_of(std::int64_t pass) const {
  return std::min(spec_.pass_sweeps, sweeps_ - pass * spec_.pass_sweeps);
}

std::optional<run::Phase> InPlacePlan::phase(std::int64_t number, const run::Tally&) const {
  if (number >= passes_) return std::nullopt;
  return run::Phase{number, spec_.slabs(), run::Order::chain};
}

std::string InPlacePlan::part(const run::Phase& phase) const {
  constexpr std::int64_t most_parts = 16;
  return passes_ == 1 || passes_ > most_parts ? "" : "pass " + std::to_string(phase.number + 1);
}

run::Block InPlacePlan::block(const run::Phase& phase, std::int64_t index) const {
  const std::int64_t pass = phase.number, slabs = spec_.slabs();
  const InPlaceTask task = task_of(pass, index);
  const bool first = index == 0, last = index + 1 == slabs;
  const Box border = Box::whole({1, spec_.pass_sweeps + 1, spec_.columns});
  const std::int64_t generation = pass * (slabs - 1) + index;
  run::Block block;
  block.operations = static_cast<double>(task.row_end - task.row_begin) * static_cast<double>(spec_.columns) *
                     static_cast<double>(task.sweeps);
  auto& accesses = block.accesses;
  const int read = pass == 0 ? input_array : grid_array;
  accesses.push_back({InPlaceSlot::grid, read, pass, rows_box(task.row_begin, task.row_end), Mode::read});
  const auto write = [&](InPlaceSlot slot, std::int64_t begin, std::int64_t end) {
    accesses.push_back({slot, grid_array, pass + 1, rows_box(begin, end), Mode::write});
  };
  // A slab is higher than its pass has sweeps, so that the rows before it lie in one tile.
  if (!first) write(InPlaceSlot::before, task.row_begin - task.sweeps, task.row_begin);
  write(InPlaceSlot::result, task.row_begin, last ? task.row_end : task.row_end - task.sweeps);
  if (!first) accesses.push_back({InPlaceSlot::above, border_array, generation, border, Mode::read});
  if (!last) accesses.push_back({InPlaceSlot::below, border_array, generation + 1, border, Mode::write});
  return block;
}

InPlaceTask InPlacePlan::task_of(std::int64_t pass, std::int64_t slab) const {
  InPlaceTask task{};
  task.row_begin = slab * spec_.slab_rows;
  task.row_end = std::min<std::int64_t>(spec_.rows, task.row_begin + spec_.slab_rows);
  task.sweeps = sweeps_of(pass);
  task.carry_stride = spec_.columns;
  return task;
}

std::unique_ptr<run::Worker> InPlacePlan::make_worker(device::Context& context) const {
  return std::make_unique<InPlaceWorker>(*this, context);
}

}  // namespace terrace::stages
