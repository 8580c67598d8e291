// Verifies schedules of jobs on identical machines.
#pragma once

#include "stages/verifier.hpp"

namespace terrace::stages {

/// Adds up the loads of the assignment, goes through the search by the feasibility of its tables again, computes
/// sampled tables again if they are small, and with these the bound and the guarantee.
std::vector<Checked> verify_makespan(const VerifyRequest& request);

}  // namespace terrace::stages
