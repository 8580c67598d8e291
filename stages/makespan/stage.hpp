// Schedules of jobs on identical machines.
#pragma once

#include <memory>

#include "pipeline/run/stage.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Plans a step of a job that asks for a schedule. @throws JobError
std::unique_ptr<run::Stage> make_makespan(const Request& request);

}  // namespace terrace::stages
