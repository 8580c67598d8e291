// Compares the results of the stage `nest` with the loops as they are written.
#pragma once

#include "stages/verifier.hpp"

namespace terrace::stages {

/// Runs the loops of a nest of few cells as they are written; of others computes tiles of tables again, from the
/// stored elements beside them.
std::vector<Checked> verify_nest(const VerifyRequest& request);

}  // namespace terrace::stages
