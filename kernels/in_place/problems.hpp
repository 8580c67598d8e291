// The in-place problems as jobs and plans see them, without types. A new problem is one header and one entry in
// problem_list.hpp; visit.hpp has the way to its type.
#pragma once

#include <span>
#include <string_view>

#include "kernels/in_place/problem.hpp"
#include "pipeline/base/settings.hpp"

namespace terrace::in_place {

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

}  // namespace terrace::in_place
