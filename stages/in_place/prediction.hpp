// The predicted cost of sweeps in place.
#pragma once

#include "pipeline/run/stage.hpp"
#include "stages/in_place/plan.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// @param resources for which the plan was made
run::Prediction predict_in_place(const InPlacePlan& plan, const Resources& resources);

}  // namespace terrace::stages
