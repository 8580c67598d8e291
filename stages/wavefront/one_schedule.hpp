// The `schedule` of problems whose tiles are swept in one way.
#pragma once

#include "pipeline/base/parameter.hpp"

namespace terrace::stages {

/// Declared by such a problem in place of the stage's parameter, which has the schedules of two papers, too.
inline constexpr Parameter one_schedule = {"schedule", ParameterKind::choice,
                                           "how kernel tiles are swept: both words mean the same", "auto",
                                           "auto, registers"};

}  // namespace terrace::stages
