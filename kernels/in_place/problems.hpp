// The list of in-place problems. It drives instantiation, names, parameters and their help, and the differential
// tests: a new problem is one header and one entry in problem_list.hpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kernels/in_place/problem_list.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/settings.hpp"

namespace terrace::wavefront {

/// A problem as jobs see it.
struct InPlaceInfo {
  const char* name;
  const char* help;
  bool corners;
  ParameterList parameters;
};

/// All in-place problems, in the order of the list.
std::span<const InPlaceInfo> in_place_problems();
/// The problem of that name, or null.
const InPlaceInfo* find_in_place(std::string_view name);

/// Calls call(P{}) with the problem of that name. @throws JobError if there is none
template <class Call>
void visit_in_place(const std::string& problem, Call&& call) {
  const bool found = [&]<class... Ps>(ProblemList<Ps...>) {
    return ((problem == Ps::name ? (call(Ps{}), true) : false) || ...);
  }(InPlaceProblems{});
  if (!found) throw JobError("there is no in-place problem '" + problem + "'");
}

}  // namespace terrace::wavefront
