// Pairs of sets in the stage `wavefront`.
#pragma once

#include "stages/stage_kind.hpp"
#include "stages/wavefront/pairs/sides.hpp"

namespace terrace::stages {

/// Plans a step of a job of which a side is a set. @throws JobError
std::unique_ptr<run::Stage> make_pairs(const Request& request);

}  // namespace terrace::stages
