// The list of problems of the recursive family as types. No host library header.
#pragma once

#include "kernels/recursive/problems/floyd_warshall.hpp"

namespace terrace::recursive {

template <class... Ps>
struct ProblemList {};

/// Every problem.
using Problems = ProblemList<FloydWarshall>;

}  // namespace terrace::recursive
