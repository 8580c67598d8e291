// The list of in-place problems as types. No host library header.
#pragma once

#include "kernels/wavefront/in_place_problem.hpp"
#include "kernels/wavefront/problem_list.hpp"
#include "kernels/wavefront/problems/seidel.hpp"
#include "kernels/wavefront/problems/sor.hpp"

namespace terrace::wavefront {

/// Every in-place problem.
using InPlaceProblems = ProblemList<Sor, Seidel>;

}  // namespace terrace::wavefront
