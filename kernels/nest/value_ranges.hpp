// The values that whole numbers of a formula can have while loops run over ranges.
#pragma once

#include <functional>
#include <vector>

#include "kernels/formula/formula.hpp"
#include "kernels/nest/sweep.hpp"

namespace terrace::nest {

/// Calls visit(node) for the nodes that are computed somewhere in a box: of if(c, a, b), && and || without those that
/// a condition excludes in all of it.
/// @param box a range a loop, by the number of indices
void visit_needed(const formula::Formula& formula, const Ranges& box, const std::vector<Input>& inputs,
                  const std::vector<Access>& accesses, const std::function<void(const formula::Node&)>& visit);

/// Bounds of the whole numbers and conditions of a formula, a node each, before a check that they are within their
/// types: operands are within theirs. Of real nodes nothing is said.
/// @param arrays bounds of the elements of written arrays, first values included
std::vector<formula::Bounds> node_bounds(const Nest& nest, const formula::Formula& formula, const Ranges& box,
                                         const std::vector<formula::Bounds>& arrays);

/// A range a loop that holds the subscripts, at the array's loops, of all elements that reads and results have.
Ranges subscripts_of(const Nest& nest, std::size_t array);

/// Bounds of all values that reads of each array can have, within those of its type, which `cells` checks: by what
/// formulas give of any values of the types, and by what a value can grow along the longest chain of dependences. Of
/// real arrays nothing is said.
std::vector<formula::Bounds> array_bounds(const NestSpec& spec);

}  // namespace terrace::nest
