// Compares the results of the stage `query` with the tables that it read.
#pragma once

#include "stages/verifier.hpp"

namespace terrace::stages {

/// Distances of pairs against the matrix, paths against the next nodes; what is made of all distances by reading the
/// whole matrix again, row by row. Real sums may differ by what their order makes.
std::vector<Checked> verify_query(const VerifyRequest& request);

}  // namespace terrace::stages
