// Verifies stored tables with many dimensions.
#pragma once

#include "stages/verifier.hpp"

namespace terrace::stages {

/// Computes sampled cells and choices of a kept table again from the stored cells that they depend on, adds up the
/// costs of the solution, and compares the steps with the job.
std::vector<Checked> verify_dp_table(const VerifyRequest& request);

}  // namespace terrace::stages
