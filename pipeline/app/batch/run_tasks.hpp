// The tasks of a batch that are not finished, each run in a process of its own.
#pragma once

#include <optional>

#include "pipeline/app/batch/task_list.hpp"
#include "pipeline/app/commands.hpp"
#include "pipeline/app/progress/time_limit.hpp"
#include "pipeline/job/batch.hpp"

namespace terrace::app {

/// Runs the tasks of the range that are not finished, as many beside one another as there are GPUs, and answers with
/// their outputs, or with JSON. A signal stops all of them at checkpoints.
/// @return exit_failed if a task has failed, else exit_stopped if one was stopped, or not begun for a stop
int run_tasks(Session& session, const RunArguments& arguments, const job::Batch& batch, const TaskRange& range,
              const std::optional<TimeSpan>& span);

}  // namespace terrace::app
