#include "stages/makespan/exact/plan.hpp"

#include <algorithm>

#include "kernels/makespan/kernels.hpp"
#include "pipeline/run/slots.hpp"
#include "stages/kernel_worker.hpp"
#include "stages/makespan/exact/tally.hpp"

namespace terrace::stages {

using makespan::SearchTask;
using run::Mode;

namespace {

/// Names of the accesses of a block.
enum class ExactSlot { before, after, machines };

constexpr run::SlotField<SearchTask> exact_slots[] = {
    run::field<&SearchTask::before>(ExactSlot::before, "state before the round"),
    run::field<&SearchTask::after>(ExactSlot::after, "state after the round"),
    run::field<&SearchTask::machines>(ExactSlot::machines, "machines of jobs"),
};

}  // namespace

ExactPlan::ExactPlan(ExactDefinition definition) : definition_(std::move(definition)) {
  if (definition_.begin.is_optimal()) return;
  run::ArraySpec state;
  state.name = "state";
  state.type = ElementType::i32;
  state.shape = state.tile = {definition_.layout.words()};
  arrays_.push_back(std::move(state));
}

std::optional<run::Phase> ExactPlan::phase(std::int64_t number, const run::Tally& tally) const {
  if (definition_.begin.is_optimal()) return std::nullopt;
  const ExactFindings& found = static_cast<const ExactTally&>(tally).findings();
  const std::int64_t left = definition_.nanoseconds - found.nanoseconds;
  if (found.lower < found.upper && left > 0) {
    const auto most = static_cast<std::int64_t>(round_seconds * 1e9);
    const ExactPhase value{static_cast<std::int64_t>(ExactStep::round), found.rounds, std::min(left, most)};
    return run::Phase{number, 1, run::Order::in_turn, value};
  }
  if (found.rounds == 0 || !found.machines.empty()) return std::nullopt;
  const std::int64_t most = makespan::SearchResult::most_reported;
  const ExactPhase value{static_cast<std::int64_t>(ExactStep::report), found.rounds, 0};
  return run::Phase{number, (definition_.jobs.count() + most - 1) / most, run::Order::in_turn, value};
}

std::string ExactPlan::part(const run::Phase& phase) const {
  return phase.value.as<ExactPhase>().what() == ExactStep::round ? "search" : "report";
}

std::int64_t ExactPlan::reported(std::int64_t index) const {
  const std::int64_t most = makespan::SearchResult::most_reported;
  return std::min<std::int64_t>(most, definition_.jobs.count() - index * most);
}

run::Block ExactPlan::block(const run::Phase& phase, std::int64_t index) const {
  const auto value = phase.value.as<ExactPhase>();
  run::Block block;
  if (value.what() == ExactStep::report) {
    const std::int64_t first = makespan::StateLayout::first_machine + index * makespan::SearchResult::most_reported;
    block.accesses.push_back(
        {ExactSlot::machines, 0, value.rounds, {{first}, {first + reported(index)}}, Mode::read});
    return block;
  }
  const Box whole = Box::whole(arrays_.front().shape);
  if (value.rounds > 0) block.accesses.push_back({ExactSlot::before, 0, value.rounds, whole, Mode::read});
  block.accesses.push_back({ExactSlot::after, 0, value.rounds + 1, whole, Mode::write});
  block.operations = 1;
  return block;
}

SearchTask ExactPlan::task(const run::Phase& phase, const run::BlockView& view) const {
  SearchTask task{};
  run::bind_slots(exact_slots, view, task);
  task.nanoseconds = phase.value.as<ExactPhase>().nanoseconds;
  if (task.after == nullptr) task.count = reported(view.index);
  return task;
}

std::unique_ptr<run::Worker> ExactPlan::make_worker(device::Context& context) const {
  return std::make_unique<KernelWorker<ExactPlan>>(
      *this, makespan::make_search_cpu(definition_.jobs, definition_.begin, definition_.layout,
                                       definition_.failed_bytes, context));
}

}  // namespace terrace::stages
