// The list of in-place problems as types.
#pragma once

#include "kernels/in_place/problem.hpp"
#include "kernels/in_place/problems/seidel.hpp"
#include "kernels/in_place/problems/sor.hpp"
#include "kernels/values/type_list.hpp"

namespace terrace::in_place {

/// Every in-place problem.
using InPlaceProblems = TypeList<Sor, Seidel>;

}  // namespace terrace::in_place
