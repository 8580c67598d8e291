// Pairs of a finished result, computed again by the plain program.
#pragma once

#include <vector>

#include "stages/verifier.hpp"

namespace terrace::stages {

/// Scores and ends of a sample of the pairs.
std::vector<Checked> verify_pairs(const VerifyRequest& request);

}  // namespace terrace::stages
