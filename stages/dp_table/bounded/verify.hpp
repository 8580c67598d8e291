// Checking a table whose steps are bounded.
#pragma once

#include <vector>

#include "stages/dp_table/definition.hpp"
#include "stages/verifier.hpp"

namespace terrace::stages {

/// Makes the table again by a plain program, if it is not too large, and goes along the solution.
std::vector<Checked> verify_bounded(const VerifyRequest& request, const TableDefinition& definition);

}  // namespace terrace::stages
