#include "stages/in_place/plan.hpp"

#include <algorithm>

#include "stages/in_place/worker.hpp"

namespace terrace::stages {

using in_place::InPlaceTask;
using run::ArraySpec;
using run::Mode;
using run::Role;

namespace {

constexpr std::int64_t most_launch_slabs = 65536;

}  // namespace

InPlacePlan::InPlacePlan(const in_place::InPlaceMethod& method, in_place::InPlaceSpec spec, std::int64_t sweeps,
                         std::shared_ptr<io::Source> grid, std::string why_not)
    : method_(method), spec_(std::move(spec)), sweeps_(sweeps), why_not_(std::move(why_not)) {
  passes_ = spec_.slabs() == 0 ? 1 : (sweeps_ + spec_.pass_sweeps - 1) / spec_.pass_sweeps;
  ArraySpec result;
  result.name = "grid";
  result.role = Role::result;
  result.type = spec_.value;
  result.shape = {spec_.rows, spec_.columns};
  result.tile = {spec_.slab_rows, std::max<std::int64_t>(1, spec_.columns)};
  result.source = std::move(grid);
  result.generations = made_in_pass() * passes_;
  result.kept = 1;
  // With one pass, at a checkpoint only the tile of the latest slab lacks sweeps.
  if (passes_ == 1) result.live = result.spare = 2;
  arrays_ = {std::move(result)};
}

std::int64_t InPlacePlan::sweeps_of(std::int64_t pass) const {
  return std::min(spec_.pass_sweeps, sweeps_ - pass * spec_.pass_sweeps);
}

std::optional<run::Phase> InPlacePlan::phase(std::int64_t number, const run::Tally&) const {
  if (number >= passes_) return std::nullopt;
  const std::int64_t slabs = std::max<std::int64_t>(1, spec_.slabs());
  const std::int64_t further = std::min(passes_ - 1 - number, most_launch_slabs / slabs);
  return run::Phase{number, spec_.slabs(), run::Order::chain, {}, further * slabs};
}

std::string InPlacePlan::part(const run::Phase& phase) const {
  constexpr std::int64_t most_parts = 16;
  return passes_ == 1 || passes_ > most_parts ? "" : "pass " + std::to_string(phase.number + 1);
}

int InPlacePlan::devices(int available) const {
  return static_cast<int>(std::min<std::int64_t>(available, spec_.parts));
}

int InPlacePlan::device(const run::Phase&, std::int64_t index, int devices) const {
  return static_cast<int>(DealtParts{spec_.parts, devices}.part_of(parts().part_of(index)));
}

std::string InPlacePlan::dealt() const {
  return spec_.parts > 1 ? std::to_string(spec_.parts) + " parts of slabs" : why_not_;
}

run::Block InPlacePlan::block(const run::Phase& phase, std::int64_t index) const {
  const std::int64_t pass = phase.number, slabs = spec_.slabs();
  const InPlaceTask task = task_of(pass, index);
  const std::int64_t generation = made_in_pass() * pass;
  const auto tile = [&](std::int64_t slab) {
    const std::int64_t begin = slab * spec_.slab_rows;
    return Box{{begin, 0}, {std::min(spec_.rows, begin + spec_.slab_rows), spec_.columns}};
  };
  run::Block block;
  block.operations = static_cast<double>(task.row_end - task.row_begin) * static_cast<double>(spec_.columns) *
                     static_cast<double>(task.sweeps);
  run::Access rows{InPlaceSlot::rows, 0, generation, tile(index), Mode::update};
  rows.made = generation + (index + 1 == slabs ? made_in_pass() : 1);
  block.accesses.push_back(std::move(rows));
  if (index > 0) block.accesses.push_back({InPlaceSlot::above, 0, generation + 1, tile(index - 1), Mode::update});
  return block;
}

InPlaceTask InPlacePlan::task_of(std::int64_t pass, std::int64_t slab) const {
  InPlaceTask task{};
  task.row_begin = slab * spec_.slab_rows;
  task.row_end = std::min<std::int64_t>(spec_.rows, task.row_begin + spec_.slab_rows);
  task.sweeps = sweeps_of(pass);
  task.part_end = std::min<std::int64_t>(spec_.rows, parts().begin(parts().part_of(slab) + 1) * spec_.slab_rows);
  task.above_begin = std::max<std::int64_t>(0, task.row_begin - spec_.slab_rows);
  return task;
}

nlohmann::json InPlacePlan::choices() const {
  return {{"method", method_.name}, {"slab_rows", spec_.slab_rows}, {"pass_sweeps", spec_.pass_sweeps},
          {"rows", spec_.rows},     {"columns", spec_.columns},     {"value", name_of(spec_.value)},
          {"parts", spec_.parts}};
}

void take_choices(const nlohmann::json& choices, in_place::InPlaceSpec& spec) {
  spec.slab_rows = choices.at("slab_rows");
  spec.pass_sweeps = choices.at("pass_sweeps");
  spec.parts = choices.value("parts", std::int64_t{1});
}

std::unique_ptr<run::Worker> InPlacePlan::make_worker(device::Context& context) const {
  return std::make_unique<InPlaceWorker>(*this, context);
}

}  // namespace terrace::stages
