// The places at which tasks of a batch run beside one another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/app/commands.hpp"
#include "pipeline/job/batch.hpp"

namespace terrace::app {

/// The settings, KEY=VALUE each, that a task gets at each place. One place without settings on a machine with at most
/// one GPU, for a single task, and if the job names its devices or the CPU; else one for each GPU, at most `tasks`,
/// with an equal share of the host's memory and threads unless the job says how much of them it takes.
std::vector<std::vector<std::string>> places_of(Session& session, const job::Batch& batch, std::int64_t tasks);

}  // namespace terrace::app
