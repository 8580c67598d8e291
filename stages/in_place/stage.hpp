// In-place sweeps as a part of the stage `wavefront`.
#pragma once

#include <functional>
#include <string>

#include "pipeline/job/declaration.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The declarations of all in-place problems.
std::vector<job::ProblemDeclaration> declare_in_place();

/// True if a step makes so many sweeps of so large a grid that further devices are worth their opening.
/// @param input by its name in the job; null: it is made by an earlier step
bool is_long_sweep(const job::Stage& stage, const std::function<const io::Source*(const std::string&)>& input);

/// Plans a step of a job that names an in-place problem. @throws JobError
std::unique_ptr<run::Stage> make_in_place(const Request& request);

}  // namespace terrace::stages
