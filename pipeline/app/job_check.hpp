// The errors and warnings of one job.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pipeline/app/commands.hpp"
#include "pipeline/app/session.hpp"
#include "pipeline/app/warnings.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::app {

struct CheckedJob {
  job::Job job;
  std::vector<std::pair<std::string, std::vector<std::string>>> analyses;  // by stages (check_plan())
};

/// Loads a job, opens its inputs and plans it. @param warn called with each warning
/// @throws JobError with all errors
CheckedJob check_job(Session& session, const JobArguments& arguments, const Warn& warn);

}  // namespace terrace::app
