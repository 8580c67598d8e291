// The jobs of a step `makespan`.
#pragma once

#include "stages/makespan/instance.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Reads `times` and `machines`. @throws JobError naming the wrong element
Instance read_instance(const Request& request);

}  // namespace terrace::stages
