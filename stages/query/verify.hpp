// Compares the results of the stage `query` with the tables that it read.
#pragma once

#include "stages/verifier.hpp"

namespace terrace::stages {

/// Compares distances of pairs with the matrix, paths with the next nodes, and totals with those of the whole matrix,
/// read again row by row. Real sums may differ as far as another order of summation allows.
std::vector<Checked> verify_query(const VerifyRequest& request);

}  // namespace terrace::stages
