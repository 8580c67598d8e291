// The stage `wavefront` with `keep: alignment`.
#pragma once

#include "stages/wavefront/wavefront_stage.hpp"

namespace terrace::stages {

/// @param spec all but its blocks
/// @throws JobError if the problem's paths cannot be followed, or no cut of the table fits the budgets
std::unique_ptr<run::Stage> make_alignment(const Request& request, wavefront::SweepSpec spec,
                                           const WavefrontInputs& inputs);

}  // namespace terrace::stages
