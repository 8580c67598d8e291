// Schedules of jobs on identical machines.
#pragma once

#include <memory>

#include "pipeline/run/stage.hpp"
#include "stages/stage_kind.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {

/// What computes its blocks, on either back end.
inline constexpr SingleMethod makespan_method = {"bins", "tables of bins, one level of a tile after another"};

/// Plans a step of a job that asks for a schedule. @throws JobError
std::unique_ptr<run::Stage> make_makespan(const Request& request);

}  // namespace terrace::stages
