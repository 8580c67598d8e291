// The values that whole numbers of a formula can have while loops run over ranges.
#pragma once

#include <functional>

#include "kernels/formula/formula.hpp"
#include "kernels/nest/nest.hpp"

namespace terrace::nest {

/// Calls visit(node) for the nodes that are computed somewhere in a box: of if(c, a, b), && and || without those that
/// a condition excludes in all of it.
/// @param box a range a loop, by the number of indices
void visit_needed(const formula::Formula& formula, const Ranges& box, const std::vector<Input>& inputs,
                  const std::vector<Access>& accesses, const std::function<void(const formula::Node&)>& visit);

}  // namespace terrace::nest
