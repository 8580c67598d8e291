// The making of the stage `stencil`.
#pragma once

#include <memory>

#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Plans a step of a job. @throws JobError
std::unique_ptr<run::Stage> make_stencil(const Request& request);

}  // namespace terrace::stages
