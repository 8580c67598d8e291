// Cells of formulas as they are defined, by operations over strips of cells (formula/strips.hpp).
#pragma once

#include <vector>

#include "kernels/graph/reference/reference.hpp"

namespace terrace::graph {

/// The same as cells_as_defined() of a node that is a formula, in far less time.
template <class T>
Array<T> formula_cells(const Node& node, const std::vector<const Array<T>*>& operands, const Cells& cells);

}  // namespace terrace::graph
