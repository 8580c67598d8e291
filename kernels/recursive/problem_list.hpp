// The list of problems of the recursive family as types. No host library header.
#pragma once

#include "kernels/recursive/problems/floyd_warshall.hpp"
#include "kernels/recursive/problems/semiring_product.hpp"

namespace terrace::recursive {

template <class... Ps>
struct ProblemList {};

/// Every problem.
using Problems = ProblemList<FloydWarshall, SemiringProduct>;

}  // namespace terrace::recursive
