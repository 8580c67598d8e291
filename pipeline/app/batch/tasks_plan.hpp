// The plans of the tasks of a batch.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/app/commands.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/job/batch.hpp"

namespace terrace::app {

struct TasksPlan {
  std::vector<nlohmann::json> tasks;  // each task_json(), `state` and `plan`
  double memory = 0;                  // bytes of RAM that the largest task is expected to take
  double longest = 0;                 // seconds of the longest task
  double seconds = 0;                 // of all tasks that are not done, one after another
};

/// Plans tasks of the batch. Warnings go to the session, each once. @param numbers of the tasks
/// @throws JobError with the errors of all tasks, which name the tasks
TasksPlan plan_tasks(Session& session, const PlanArguments& arguments, const job::Batch& batch,
                     const std::vector<std::int64_t>& numbers);

}  // namespace terrace::app
