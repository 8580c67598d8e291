// Verifies the least makespan of jobs on identical machines.
#pragma once

#include "stages/verifier.hpp"

namespace terrace::stages {

/// Adds up the loads of the assignment, proves the lower bound again if that takes little time, and divides.
std::vector<Checked> verify_exact(const VerifyRequest& request);

}  // namespace terrace::stages
