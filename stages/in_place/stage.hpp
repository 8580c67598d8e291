// In-place sweeps as a part of the stage `wavefront`.
#pragma once

#include "pipeline/job/declaration.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The declarations of all in-place problems.
std::vector<job::ProblemDeclaration> declare_in_place();

/// Plans a step of a job that names an in-place problem. @throws JobError
std::unique_ptr<run::Stage> make_in_place(const Request& request);

}  // namespace terrace::stages
