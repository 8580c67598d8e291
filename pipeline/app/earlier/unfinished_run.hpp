// The unfinished run of another job in the folder of a run: its complete stages, and how a new run keeps them.
#pragma once

#include <string>

#include "pipeline/app/earlier/read_again.hpp"
#include "pipeline/app/earlier/signature.hpp"
#include "pipeline/app/prepare.hpp"
#include "pipeline/app/session.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/run/run_folder.hpp"

namespace terrace::app {

/// `plan.json` in the folder, as a place for errors.
std::string plan_file(const run::RunFolder& folder);

/// "'r', 'q'": the complete stages of an unfinished run; empty if there are none, or its ledger is damaged.
/// @param plan of the run
std::string complete_stages(const run::RunFolder& folder, const nlohmann::json& plan);

/// "it has finished 'r', 'q', which --fresh=changed keeps if ...": the part of an error that says what would be lost
/// with an unfinished run that cannot be resumed, and how to keep it. @param plan of the run
std::string advice_to_keep(const run::RunFolder& folder, const nlohmann::json& plan);

/// Ends an unfinished run that the job cannot resume. Its complete stages stay in the folder as a finished file, from
/// which a run takes them over.
/// @param plan of the run @param why it cannot be resumed, for people
/// @param again for the machine of `now`
/// @return for people: what is dropped
/// @throws JobError at the job's `output` if a complete stage would be lost: then nothing is changed; the errors of
/// planning the job, which is tried first; IoError; Stopped
std::string keep_complete_stages(run::RunFolder& folder, const nlohmann::json& plan, const std::string& why,
                                 const job::OpenJob& open, const Machine& machine, const Session& session,
                                 const Signature& now, ReadAgain& again, const Watch& watch);

}  // namespace terrace::app
