// The state in which a run finds its output, and what it therefore does: resume, begin, or nothing.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "pipeline/app/prepare.hpp"
#include "pipeline/app/signature.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/run/run.hpp"

namespace terrace::app {

/// What `--fresh` allows a run to discard.
enum class Fresh {
  nothing,
  result,  // a result that Terrace made, and an unfinished run of the same job that was begun without --fresh
  all      // any unfinished run besides
};

/// @param text as the command line has it: empty without the option, "true" with no value
/// @throws JobError that says what values there are
Fresh fresh_from(const std::string& text);

/// The locked folder of the job's run.
/// @throws io::LockHeld; JobError at the job's `output` where another folder or file is in its place; IoError
run::RunFolder take_folder(const job::Job& job);

/// The permission of a command to discard earlier work.
struct Wish {
  Fresh fresh = Fresh::nothing;
  bool noted = false;  // not by the command itself: by an attempt of the same job that ended before it had a plan
};

/// The wish of the command, or a larger one that such an attempt has noted in the folder.
/// @param asked by the command; @throws IoError where the note is damaged and the command asks for nothing
Wish wish_of(const run::RunFolder& folder, const job::OpenJob& open, Fresh asked);

/// Whether the unfinished run in the folder, if this command resumes it, computes on the CPU.
bool resumes_on_cpu(const run::RunFolder& folder, Fresh fresh);

struct Beginning {
  bool done = false;                      // the result is there, made by this job
  std::optional<nlohmann::json> begun;    // plan.json of the unfinished run to resume; nullopt if a new run begins
  std::string note;                       // for people; may be empty for a new run
  std::optional<io::FileState> replaces;  // the result of Terrace that has the output's name
};

/// Decides by what is in the folder and at the output. Changes nothing, but removes what is left in the folder when
/// the result is there.
/// @throws JobError at the job's `output` where something is there that may not be replaced or discarded; IoError
/// where the plan of the unfinished run is damaged
Beginning begin_at(run::RunFolder& folder, const job::Job& job, const Signature& now, const Wish& wish);

/// Notes durably what a new run may discard, calls `plan`, which plans it, and forgets the note if that fails, unless
/// by a signal or a disk.
void plan_attempt(const Beginning& beginning, Fresh fresh, const Signature& now, run::RunFolder& folder,
                  const std::function<void()>& plan);

/// Plans an unfinished run to be resumed, once all that was read of inputs is found to be what it was.
/// @param begun Beginning::begun @param watch of what is read
/// @throws JobError naming the input that has changed; what the watch throws
run::RunPlan resumed_plan(const job::OpenJob& open, const Machine& machine, const Stages& stages,
                          const run::RunFolder& folder, const nlohmann::json& begun, const Watch& watch);

/// Runs the plan as run::execute does, after what `fresh` lets it discard is gone. A run that fails before anything
/// of it is durable is discarded, so that the corrected job needs no --fresh=all; one begun with --fresh stays where
/// a disk has failed, since its plan says so.
run::RunReport execute_attempt(const Beginning& beginning, Fresh fresh, run::RunPlan& plan, run::RunFolder& folder,
                               const run::RunSettings& settings);

}  // namespace terrace::app
