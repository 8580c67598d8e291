// Gaussian elimination as a part of the stage `recursive`.
#pragma once

#include <memory>

#include "pipeline/run/stage.hpp"
#include "stages/recursive/weights.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Plans a step of a job that names an elimination. @throws JobError
std::unique_ptr<run::Stage> make_elimination(const Request& request);

/// The rules by which the stage reads the elements of its `matrix`.
WeightRules elimination_rules(const Request& request);

}  // namespace terrace::stages
