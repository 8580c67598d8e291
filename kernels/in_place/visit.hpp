// From the name of an in-place problem to its type: for code that makes kernels of the list's problems.
#pragma once

#include <string>

#include "kernels/in_place/problem_list.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::in_place {

/// Calls call(P{}) with the problem of that name. @throws JobError where there is none
template <class Call>
void visit_in_place(const std::string& problem, Call&& call) {
  const int number = InPlaceProblems::find([&]<class P>(P) { return problem == P::name; });
  if (!InPlaceProblems::visit(number, call)) throw JobError("there is no in-place problem '" + problem + "'");
}

}  // namespace terrace::in_place
