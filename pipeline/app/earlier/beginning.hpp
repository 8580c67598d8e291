// The state of a run's output, and the decision that follows: resume, begin, or do nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "pipeline/app/earlier/existing_output.hpp"
#include "pipeline/app/earlier/fresh.hpp"
#include "pipeline/app/earlier/signature.hpp"
#include "pipeline/app/earlier/taking_over.hpp"
#include "pipeline/app/prepare.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/run/run.hpp"

namespace terrace::app {

/// The locked folder of the job's run.
/// @throws io::LockHeld; JobError at the job's `output` if another folder or file is in its place; IoError
run::RunFolder take_folder(const job::Job& job);

/// True if the unfinished run in the folder, if this command resumes it, computes on the CPU.
bool resumes_on_cpu(const run::RunFolder& folder, Fresh fresh);

struct Beginning {
  bool done = false;                      // the result is there, made by this job
  std::optional<nlohmann::json> begun;    // plan.json of the unfinished run to resume; nullopt if a new run begins
  std::string note;                       // for people; may be empty for a new run
  std::optional<io::FileState> replaces;  // the result of Terrace that has the output's name
  TakenOver taken = {};                   // parts of that result, for a new run
  std::string unfit = "";  // if not empty: `begun` is another run, whose complete stages keep_complete_stages() keeps
};

/// Decides by the contents of the folder and the output. Changes nothing, except that it clears the folder if the
/// result is complete.
/// @param again for the machine of `now`
/// @throws JobError at the job's `output` if a file or run there may not be replaced or discarded; IoError if the
/// plan of the unfinished run is damaged
Beginning begin_at(run::RunFolder& folder, const job::OpenJob& open, const Signature& now, const Wish& wish,
                   ReadAgain& again);

/// Notes durably the permission of a new run to discard earlier work, calls `plan`, which plans it, and forgets the
/// note if that fails, unless a signal or a disk was the reason.
void plan_attempt(const Beginning& beginning, const Wish& wish, const Signature& now, run::RunFolder& folder,
                  const std::function<void()>& plan);

/// Discards what `fresh` allows, then runs the plan as run::execute does. A run that fails before any of its work is
/// durable is discarded, so that the corrected job needs no --fresh=all; a run begun with --fresh is kept if a disk
/// has failed, since its plan records --fresh.
run::RunReport execute_attempt(const Beginning& beginning, Fresh fresh, run::RunPlan& plan, run::RunFolder& folder,
                               const run::RunSettings& settings);

}  // namespace terrace::app
