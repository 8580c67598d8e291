// Compares results of the stage `kernel_graph` with cells that are made again by the graph's definition.
#pragma once

#include "stages/verifier.hpp"

namespace terrace::stages {

/// Makes boxes of kept nodes, and numbers and lists of arrays of few cells, again from inputs. Says of all else that
/// it is not sampled.
std::vector<Checked> verify_kernel_graph(const VerifyRequest& request);

}  // namespace terrace::stages
