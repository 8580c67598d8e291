// Parts of the results of the stage `stencil`, computed again.
#pragma once

#include "stages/verifier.hpp"

namespace terrace::stages {

/// Everything that a stage of a finished result wrote. Cells of a stored state are made again from the input or the
/// snapshot before it, with all cells that they depend on. States and residuals that are too many steps from the
/// state before them for that are named.
std::vector<Checked> verify_stencil(const VerifyRequest& request);

}  // namespace terrace::stages
