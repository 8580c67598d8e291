#include "pipeline/app/plan/plan_json.hpp"

#include <algorithm>

#include "pipeline/base/json.hpp"
#include "pipeline/run/disk_need.hpp"
#include "pipeline/run/expected_time.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

/// Every method of a stage.
Json methods_json(const run::Stage& stage, const run::Prediction& prediction) {
  Json all = Json::array();
  for (const run::StageMethod& method : stage.methods()) {
    all.push_back({{"name", method.name},
                   {"help", method.help},
                   {"backend", method.backend},
                   {"schedule", method.schedule.empty() ? Json() : Json(method.schedule)},
                   {"automatic", method.automatic},
                   {"chosen", method.chosen},
                   {"unfit", method.unfit.empty() ? Json() : text_json(method.unfit)},
                   {"per_second", method.unfit.empty() ? number_json(rate_of(method, prediction)) : Json()}});
  }
  return all;
}

/// @param devices that the run opens
Json stage_json(const run::PlannedStage& planned, const run::RunPlan& plan, int devices, const std::string& doubt,
                bool explain) {
  const run::Prediction p = planned.stage->prediction();
  const run::PredictedTimes times = run::predicted_times(planned);
  const double seconds = run::predicted_seconds(planned);
  const Json taken = planned.taken ? text_json(planned.taken->file.string()) : Json();
  Json json{{"name", planned.name},
            {"temporary", planned.temporary},
            {"taken_over_from", taken},
            {"to_be_compared", doubt.empty() ? Json() : text_json(doubt)},
            {"method", run::method_of(*planned.stage)},
            {"backend", run::backend_of(planned, plan)},
            {"devices", run::backend_of(planned, plan) == "cpu" ? 1 : planned.stage->plan().devices(devices)},
            {"blocks", p.blocks},
            {"block_shape", p.block_shape},
            {"block_bytes", p.block_bytes},
            {"workspace_bytes", p.workspace_bytes},
            {"host_bytes", number_json(run::memory_taken(planned))},
            {"unit", p.unit},
            {"operations", number_json(p.operations)},
            {"leaves_out", p.leaves_out},
            {"bytes_read", number_json(p.bytes_read)},
            {"bytes_written", number_json(p.bytes_written)},
            {"bytes_up", number_json(p.bytes_up)},
            {"bytes_down", number_json(p.bytes_down)},
            {"limit", number_json(p.limit)},
            {"limit_kind", p.limit_kind},
            {"compute_seconds", number_json(times.compute)},
            {"disk_seconds", number_json(times.disk)},
            {"link_seconds", number_json(times.link)},
            {"blocks_seconds", number_json(times.blocks)},
            {"memory_seconds", number_json(times.memory)},
            {"generated_seconds", number_json(times.made)},
            {"predicted_seconds", number_json(seconds)},
            {"bound", times.bound()}};
  if (explain) json["methods"] = methods_json(*planned.stage, p);
  if (explain) json["analysis"] = planned.stage->analysis();
  return json;
}

/// The most bytes of RAM that a run can use, whatever its budget, in addition to those of its inputs: what a stage
/// may take, and no more than all arrays of the stage, two generations of those that are made anew, and what its
/// blocks work on.
double most_memory(const run::RunPlan& plan) {
  double most = 0;
  for (const run::PlannedStage& planned : plan.stages) {
    const run::Prediction p = planned.stage->prediction();
    double bytes =
        2 * static_cast<double>(p.block_bytes) + static_cast<double>(p.workspace_bytes + p.host_workspace_bytes);
    for (const run::ArraySpec& array : planned.stage->plan().arrays()) {
      const auto kept = static_cast<double>(std::min<std::int64_t>(array.kept, 2));
      bytes += kept * static_cast<double>(volume(array.shape)) * static_cast<double>(size_of(array.type));
    }
    most = std::max(most, std::min(bytes, static_cast<double>(planned.host_budget)));
  }
  return most;
}

/// The bytes of RAM that a run is expected to take at most: its budget, or less if it cannot use that.
double expected_memory(const stages::Resources& resources, const run::RunPlan& plan) {
  const double budget = static_cast<double>(resources.host_budget + resources.window_memory);
  const double most = most_memory(plan) + static_cast<double>(resources.window_memory);
  return std::min(budget, most) + static_cast<double>(resources.input_memory);
}

}  // namespace

double rate_of(const run::StageMethod& method, const run::Prediction& prediction) {
  return prediction.limit > 0 ? std::min(method.per_second, prediction.limit) : method.per_second;
}

Json plan_json(const job::Job& job, const Machine& machine, const run::RunPlan& run_plan, const Outcome& outcome,
               bool explain) {
  const stages::Resources& resources = machine.main.resources;
  const run::DiskNeed need = run::disk_need(run_plan);
  Json stages = Json::array();
  double seconds = 0;
  for (const run::PlannedStage& stage : run_plan.stages) {
    const auto devices = static_cast<int>(machine.main.contexts.size());
    stages.push_back(stage_json(stage, run_plan, devices, outcome.doubt(stage.name), explain));
    seconds += run::predicted_seconds(stage);
  }
  return {{"job", text_json(job.file.string())},
          {"output", text_json(job.output.string())},
          {"there_already", outcome.there},
          {"device", resources.device.name},
          {"devices", machine.main.contexts.size()},
          {"backend", resources.cuda ? "cuda" : "cpu"},
          {"memory",
           {{"host", resources.host_budget},
            {"device", resources.device_budget},
            {"inputs", resources.input_memory},
            {"expected", number_json(expected_memory(resources, run_plan))}}},
          {"disk", {{"result", need.result}, {"scratch", need.scratch}, {"taken_over", need.taken}}},
          {"stages", stages},
          {"predicted_seconds", number_json(seconds)}};
}

}  // namespace terrace::app
