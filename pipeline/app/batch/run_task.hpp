// One task of a batch, run in this process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/app/job_run.hpp"
#include "pipeline/job/batch.hpp"

namespace terrace::app {

/// The end of an attempt to run a task.
struct TaskRun {
  int code = exit_done;
  bool skipped = false;  // another process holds it
  JobRun made = {};
  std::vector<std::string> errors = {};  // that were reported
};

/// Runs or resumes a task, reports its errors to the session, and keeps the last of them beside the output. A task
/// that another process holds is skipped, and the session told so.
/// @param arguments with the task
TaskRun run_task(Session& session, const JobArguments& arguments, const std::string& fresh,
                 const std::optional<TimeSpan>& span);

/// run_answer() of a task, with `task`, `values` and, of one that was skipped, the state "under way".
nlohmann::json task_answer(const JobArguments& arguments, const TaskRun& run);

/// `task`, `values` and `output`.
nlohmann::json task_json(const job::Task& task);

}  // namespace terrace::app
