// The least makespan of jobs on identical machines.
#pragma once

#include <memory>
#include <vector>

#include "pipeline/run/stage.hpp"
#include "stages/stage_kind.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {

/// The search as a method, on the CPU alone.
inline constexpr SingleMethod exact_method = {"completion", "branch and bound by bin completion, and local search"};

/// Plans a step of a job that asks for the best schedule. @throws JobError
std::unique_ptr<run::Stage> make_exact(const Request& request);

}  // namespace terrace::stages
