// The results of tasks that need not be computed again.
#pragma once

#include "pipeline/app/commands.hpp"

namespace terrace::app {

/// True if the output of the task was made by this job from these inputs, so that a run would compute nothing. False
/// also where only a run can tell: if a file of an input was touched, or the result was made by another version that
/// read or computed otherwise.
/// @param arguments with the task
bool is_finished(const Session& session, const JobArguments& arguments);

}  // namespace terrace::app
