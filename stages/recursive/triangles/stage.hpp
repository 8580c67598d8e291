// Problems over intervals as a part of the stage `recursive`.
#pragma once

#include <memory>

#include "kernels/recursive/problems.hpp"
#include "pipeline/run/stage.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Declares the parameters and the outputs of a problem over intervals.
void declare_intervals(const recursive::ProblemInfo& problem, job::ProblemDeclaration& declaration);

/// Plans a step of a job that names one. @throws JobError
std::unique_ptr<run::Stage> make_triangle(const Request& request);

}  // namespace terrace::stages
