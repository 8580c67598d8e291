// From a problem's name and parameters to its type: for code that makes kernels of the list's problems. Host code
// that makes none takes the description (description.hpp).
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "kernels/wavefront/problem_list.hpp"
#include "kernels/wavefront/problems.hpp"

namespace terrace::wavefront {

/// True if P is the problem that `problem` with these parameters means.
template <class P>
bool chosen(std::string_view problem, const Settings& settings) {
  if (problem != P::name || by_matrix<P> != settings.has("matrix")) return false;
  if constexpr (requires(const ScaledSettings& reader) { P::is_meant(reader); }) {
    return P::is_meant(ScaledSettings(settings, 1));
  } else {
    return P::chosen_by == nullptr || settings.has(P::chosen_by);
  }
}

/// Calls call(P{}) with the problem of the list that `problem` with these parameters means.
/// @throws JobError where there is none
template <class Call>
void visit_problem(const std::string& problem, const Settings& settings, Call&& call) {
  const int number = Problems::find([&]<class P>(P) { return chosen<P>(problem, settings); });
  if (!Problems::visit(number, call)) {
    throw JobError("wavefront problem '" + problem + "': no problem of this name takes these parameters");
  }
}

/// The constants of P for these parameters, scaled.
template <class P>
typename P::template Constants<i64> problem_constants(const Settings& settings) {
  return P::constants(ScaledSettings(settings, score_scale(P::name, settings)));
}

}  // namespace terrace::wavefront
