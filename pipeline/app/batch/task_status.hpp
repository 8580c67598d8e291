// The states of the tasks of a batch, as the files beside their outputs tell them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "pipeline/job/batch.hpp"

namespace terrace::app {

enum class TaskState {
  done,       // the result is there
  failed,     // the last attempt has failed
  under_way,  // a process of this machine works on it
  elsewhere,  // a process of another machine works on it, or did
  stopped,    // at a checkpoint, or killed: a run goes on from there
  left        // nothing is there yet
};

/// "done", "failed", "under way", "elsewhere", "stopped", "left".
const char* name_of(TaskState state);

struct TaskStatus {
  TaskState state = TaskState::left;
  std::string detail;  // the error of a failed task, the holder of one under way; else empty
};

TaskStatus status_of(const job::Task& task);

/// The error with which the last attempt of a task has failed, in the file `OUTPUT.failed`.
class FailureNote {
 public:
  explicit FailureNote(const std::filesystem::path& output) : path_(output.string() + ".failed") {}

  std::optional<std::string> read() const;
  /// Best effort: a task that fails for a full disk has no room for its note.
  void write(const std::string& error) const noexcept;
  void remove() const noexcept;

 private:
  std::filesystem::path path_;
};

}  // namespace terrace::app
