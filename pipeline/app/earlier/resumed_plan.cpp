#include "pipeline/app/earlier/resumed_plan.hpp"

#include "pipeline/app/earlier/read_again.hpp"
#include "pipeline/app/earlier/taking_over.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/run/inputs.hpp"

namespace terrace::app {

using Json = nlohmann::json;

namespace {

/// Compares the names of nodes of all inputs, and the meaning of their elements. Values are compared where they were
/// read. @throws ChangedSinceBegun naming the input that differs
void check_meanings(const Json& begun, const run::RunPlan& plan) {
  for (const auto& [name, content] : plan.contents.items()) {
    const auto found = meaning_difference(begun.at("contents").at(name), content);
    if (!found) continue;
    throw run::ChangedSinceBegun("input '" + name + "' has changed since the run was begun: " + *found +
                                 "; put the file back, or start over with --fresh=all");
  }
}

/// Compares the inputs of stages that were taken over, which read none when the run resumes.
/// @throws ChangedSinceBegun naming the input that has changed
void check_taken_inputs(const job::OpenJob& open, const Json& begun, const run::RunPlan& plan, ReadAgain& again) {
  for (std::size_t number = 0; number < plan.stages.size(); ++number) {
    const run::TakenStage* taken = plan.stages[number].taken_stage();
    if (taken == nullptr) continue;
    const job::Stage& stage = open.job.stages.at(number);
    const auto found = changed_input(open, stage, taken->record(), {begun.at("inputs"), begun.at("contents")},
                                     {plan.inputs, plan.contents}, again);
    if (!found) continue;
    throw run::ChangedSinceBegun(*found + " since the run was begun, which takes over stage '" + stage.name +
                                 "', made of what it held; put the file back, or start over with --fresh=all");
  }
}

}  // namespace

run::RunPlan resumed_plan(const job::OpenJob& open, const Machine& machine, const Stages& stages,
                          const std::string& file, const Json& begun, const run::Progress& progress,
                          const Watch& watch) {
  return read_json(file, remedy_for_runs, [&] {
    const Json& reads = begun.at("reads");
    run::compare_reads(reads, open.inputs, watch);
    run::RunPlan plan = make_plan(open, machine, stages, &begun, watch, {});
    plan.reads = run::joined_reads(reads, plan.reads, open.inputs);
    ReadAgain again(
        open, [&] { return make_plan(open, machine, stages, nullptr, watch, {}); }, watch);
    check_meanings(begun, plan);
    check_taken_inputs(open, begun, plan, again);
    const Json& states = begun.at("inputs");
    if (states != plan.inputs) {
      run::verify_inputs(plan, states, plan.inputs, progress, watch);
    }
    return plan;
  });
}

}  // namespace terrace::app
