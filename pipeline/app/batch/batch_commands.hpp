// The commands about a batch: a job with `sweep`. Each is what the command of that name does with a batch.
#pragma once

#include "pipeline/app/commands.hpp"

namespace terrace::app {

/// Runs the tasks that are not finished, as many beside one another as there are GPUs, each in a process of its own;
/// a single one, if the arguments name it, in this process. @returns exit_failed if a task has failed, else
/// exit_stopped if one was stopped
int run_batch(Session& session, const RunArguments& arguments);

/// Checks every task as a job. @returns exit_wrong if one is wrong
int check_batch(Session& session, const PlanArguments& arguments);

/// Lists the tasks with the memory and the time that they are expected to take; of a single one that the arguments
/// name its whole plan.
int plan_batch(Session& session, const PlanArguments& arguments);

/// Says what is done, has failed, is under way and is left.
int show_batch(Session& session, const ShowArguments& arguments);

/// @throws JobError if there are arguments that only a batch takes
void refuse_batch_options(const RunArguments& arguments);

}  // namespace terrace::app
