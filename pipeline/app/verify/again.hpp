// A finished result against one that the same job makes now.
#pragma once

#include <filesystem>
#include <memory>

#include "pipeline/app/made_result.hpp"
#include "pipeline/app/verify/sample.hpp"
#include "pipeline/app/verify/watch.hpp"
#include "pipeline/run/run_folder.hpp"

namespace terrace::app {

/// The locked folder `RESULT.verify.run` beside the result, in which its job is run again.
/// @throws IoError where another process verifies the result, or the folder cannot be made or is not to be trusted
std::unique_ptr<run::RunFolder> take_second_run(const std::filesystem::path& result);

/// Runs the job of the result again, and compares all datasets of its stages bit by bit, a line each. Real numbers of
/// stages of the recursive family and of queries depend on how a run is cut: where they differ, parts of them are
/// checked by `sampler` instead. What is in the folder is removed at the end, and where anything fails; after a stop,
/// or when the process was killed, the next call goes on with it.
/// @throws Stopped after a signal, Error where nothing is kept; all that a run throws but JobError, which is an Error
VerifyCounts verify_again(Session& session, VerifyWatch& watch, run::RunFolder& folder, const MadeResult& result,
                          const job::OpenJob& open, const stages::Sampler& sampler);

}  // namespace terrace::app
