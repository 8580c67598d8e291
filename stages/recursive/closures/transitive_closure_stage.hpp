// Transitive closures as a part of the stage `recursive`.
#pragma once

#include <memory>

#include "pipeline/run/stage.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Plans a step of a job that asks which nodes are reached from which. @throws JobError
std::unique_ptr<run::Stage> make_transitive_closure(const Request& request);

}  // namespace terrace::stages
