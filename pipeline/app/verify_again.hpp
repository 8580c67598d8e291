// A finished result against one that the same job makes now.
#pragma once

#include "pipeline/app/made_result.hpp"
#include "pipeline/app/verify_sample.hpp"

namespace terrace::app {

/// Runs the job of the result again, into a temporary file beside the result that is removed afterwards, and compares
/// all datasets of its stages bit by bit, a line each. Real numbers of stages of the recursive family and of queries
/// depend on how a run is cut: where they differ, parts of them are checked by `sampler` instead.
/// @throws Stopped after a signal; everything that a run throws
VerifyCounts verify_again(Session& session, const MadeResult& result, const job::OpenJob& open,
                          const stages::Sampler& sampler);

}  // namespace terrace::app
