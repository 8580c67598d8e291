// Nests of loops that a job writes.
#pragma once

#include <memory>

#include "pipeline/run/stage.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Plans a step of a job that is a nest. @throws JobError
std::unique_ptr<run::Stage> make_nest(const Request& request);

}  // namespace terrace::stages
