// Questions about a table of distances.
#pragma once

#include <memory>

#include "pipeline/run/stage.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Plans a step of a job that asks about a table of distances. @throws JobError
std::unique_ptr<run::Stage> make_query(const Request& request);

}  // namespace terrace::stages
