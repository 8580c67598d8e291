// The plan of a job as JSON.
#pragma once

#include "pipeline/app/machine.hpp"
#include "pipeline/app/plan/outcome.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/run/run_plan.hpp"

namespace terrace::app {

/// Operations a second that are expected of a method, no more than the stage's limit; 0: not known.
double rate_of(const run::StageMethod& method, const run::Prediction& prediction);

/// The answer of `terrace plan --json`. @param explain with all methods of each stage
nlohmann::json plan_json(const job::Job& job, const Machine& machine, const run::RunPlan& run_plan,
                         const Outcome& outcome, bool explain);

}  // namespace terrace::app
