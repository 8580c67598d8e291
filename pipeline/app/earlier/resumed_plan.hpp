// The plan of an unfinished run that is to be resumed.
#pragma once

#include <string>

#include "pipeline/app/prepare.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/base/watch.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/run/ledger.hpp"
#include "pipeline/run/run.hpp"

namespace terrace::app {

/// Plans an unfinished run to be resumed, once all that was read of inputs is found to be what it was.
/// @param file of the plan, for errors @param begun Beginning::begun @param progress of the run
/// @param watch of what is read
/// @throws run::ChangedSinceBegun naming the input; what the watch throws
run::RunPlan resumed_plan(const job::OpenJob& open, const Machine& machine, const Stages& stages,
                          const std::string& file, const nlohmann::json& begun, const run::Progress& progress,
                          const Watch& watch);

}  // namespace terrace::app
