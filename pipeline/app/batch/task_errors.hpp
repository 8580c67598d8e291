// Errors that tasks of a batch share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pipeline/app/commands.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::app {

/// Errors of many tasks: each once, with the first task that has it and the number of others.
class TaskErrors {
 public:
  /// Calls `work` of a task, and keeps the messages of a JobError that it throws. @return true if it threw none
  bool collect(const JobArguments& task, const std::function<void()>& work);
  bool empty() const { return entries_.empty(); }
  /// With their places and the tasks, in the order in which they came.
  std::vector<std::string> messages() const;

 private:
  struct Entry {
    std::string message;
    JobArguments task;  // the first
    std::int64_t others = 0;
  };
  std::vector<Entry> entries_;
};

}  // namespace terrace::app
