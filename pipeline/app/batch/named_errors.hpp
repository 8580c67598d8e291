// Errors of a task of a batch, which name the task.
#pragma once

#include <functional>
#include <string>

#include "pipeline/app/commands.hpp"

namespace terrace::app {

/// The message with the task behind its place: "batch.yaml:3:10: task 17 (mismatch: -1): what".
/// @param others stands behind the task: " and 2 other tasks"
std::string with_task(const std::string& message, const JobArguments& arguments, const std::string& others = "");

/// Calls `work`, which loads and runs the task. @throws what it throws, with messages that name the task
void with_named_errors(const JobArguments& arguments, const std::function<void()>& work);

}  // namespace terrace::app
