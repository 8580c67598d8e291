// The stage `wavefront`.
#pragma once

#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Plans a step of a job. @throws JobError
std::unique_ptr<run::Stage> make_wavefront(const Request& request);

}  // namespace terrace::stages
