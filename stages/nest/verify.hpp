// Compares the results of the stage `nest` with the loops as they are written.
#pragma once

#include "stages/verifier.hpp"

namespace terrace::stages {

/// Runs the loops of a nest of few cells as they are written; says of others that --all computes them again.
std::vector<Checked> verify_nest(const VerifyRequest& request);

}  // namespace terrace::stages
