// A batch: a job with `sweep`, which stands for many jobs, its tasks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/base/json_library.hpp"
#include "pipeline/base/settings.hpp"

namespace terrace::job {

/// The value of a name of `sweep` in a task.
struct SweepValue {
  std::string text;
  bool quoted = false;     // a text, also if it looks like a number
  std::int64_t index = 0;  // its place in its list
};

/// The values of a task by names, in the order of the job.
using TaskValues = std::vector<std::pair<std::string, SweepValue>>;

/// One job of a batch.
struct Task {
  std::int64_t number = 0;
  TaskValues values;
  std::filesystem::path output;  // absolute

  /// "sample: reads/a.fa, mismatch: -1".
  std::string values_in_words() const;
  /// "task 17 (sample: reads/a.fa, mismatch: -1)".
  std::string in_words() const;
};

/// The values of all tasks, and the `sweep` that they were made of.
struct TaskList {
  nlohmann::json sweep;  // equal if the text of the job says the same
  std::vector<TaskValues> tasks;
};

/// The keys about the machine that a job gives itself.
struct NamedKeys {
  bool devices = false, threads = false, host_memory = false;
  std::string backend;  // empty: not named
};

struct Batch {
  std::filesystem::path file;  // as it was named
  std::vector<Task> tasks;     // task i has number i
  TaskList list;
  NamedKeys names;
};

/// Most tasks of a batch.
inline constexpr std::int64_t most_tasks = 100'000;

/// True if the file can be parsed and has `sweep`. @param overrides as of load()
bool is_batch(const std::filesystem::path& path, const std::vector<std::string>& overrides);

/// The keys that a job or a batch has. Empty if it cannot be read.
NamedKeys named_keys(const std::filesystem::path& path, const std::vector<std::string>& overrides);

/// Reads `sweep` and the outputs of a job, and checks its placeholders; the rest of the job is checked with each
/// task.
/// @param listed the tasks as they were listed earlier; null: patterns are looked up now
/// @throws JobError with all errors, with places; also if `listed` was made of another `sweep`
Batch load_batch(const std::filesystem::path& path, const std::vector<std::string>& overrides,
                 const TaskList* listed);

}  // namespace terrace::job
