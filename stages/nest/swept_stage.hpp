// The stage of a nest that is swept in place.
#pragma once

#include <memory>

#include "pipeline/run/stage.hpp"
#include "stages/nest/sweeps.hpp"

namespace terrace::stages {

/// @param sweeps that are not unfit
std::unique_ptr<run::Stage> make_swept_nest(const Request& request, NestDefinition definition, NestSweeps sweeps);

}  // namespace terrace::stages
