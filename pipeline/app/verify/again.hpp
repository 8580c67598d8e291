// A finished result against one that the same job makes now.
#pragma once

#include <filesystem>
#include <memory>

#include "pipeline/app/earlier/made_result.hpp"
#include "pipeline/app/verify/sample.hpp"
#include "pipeline/app/verify/watch.hpp"
#include "pipeline/run/run_folder.hpp"

namespace terrace::app {

/// The locked folder `RESULT.verify.run` next to the result, in which its job is run again.
/// @throws IoError if another process verifies the result, or the folder cannot be made or is not to be trusted
std::unique_ptr<run::RunFolder> take_second_run(const std::filesystem::path& result);

/// Runs the job of the result again, and compares all datasets of its stages bit by bit, a line each. Real numbers of
/// stages of the recursive family and of queries depend on how a run is cut: if they differ, parts of them are
/// checked by `sampler` instead. The contents of the folder are removed at the end, and on any failure; after a stop,
/// or if the process was killed, the next call resumes the run.
/// @throws Stopped after a signal, Error if nothing is kept; all that a run throws but JobError, which is an Error
VerifyCounts verify_again(Session& session, VerifyWatch& watch, run::RunFolder& folder, const MadeResult& result,
                          const job::OpenJob& open, const stages::Sampler& sampler);

}  // namespace terrace::app
