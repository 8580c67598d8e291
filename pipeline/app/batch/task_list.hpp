// The list of the tasks of a batch, frozen in a file beside it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "pipeline/app/commands.hpp"
#include "pipeline/job/batch.hpp"

namespace terrace::app {

/// The file `BATCH.tasks`, which numbers the tasks while files that match patterns come and go.
std::filesystem::path list_path(const std::filesystem::path& batch);

/// The batch with the tasks that were listed, or else with those that its `sweep` gives now. Changes nothing.
/// @throws JobError as job::load_batch(); DamagedRecord
job::Batch known_batch(const JobArguments& arguments);

/// The same, and lists the tasks in the file if they are not, or are to be listed anew.
/// @throws IoError as well
job::Batch listed_batch(const JobArguments& arguments, bool again);

/// The same job, as one task of the batch.
JobArguments task_arguments(const JobArguments& batch, const job::Task& task);

/// Tasks of a batch: first to last, both included.
struct TaskRange {
  std::int64_t first = 0, last = -1;

  std::int64_t count() const { return last - first + 1; }
};

/// The tasks that `--task` names. @param text "17", "10-19" or empty: all
/// @throws JobError if the batch has not all of them
TaskRange task_range(const std::string& text, const job::Batch& batch);

}  // namespace terrace::app
