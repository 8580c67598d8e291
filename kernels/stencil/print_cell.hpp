// The cell of formulas that a job writes as a struct in C++, for compilers at run time.
#pragma once

#include <string>

#include "kernels/stencil/stencil.hpp"
#include "kernels/stencil/written.hpp"

namespace terrace::stencil {

/// "float" or "double": the type of the grid.
std::string scalar_of(const StencilSpec& spec);

/// The expression of a read: what `at` of operator.hpp gives.
std::string read_of(const Written& written, const formula::Node& node);

/// The struct `Cell`, an operator (operator.hpp) with WrittenBase as its base. It also asks `at` for the place of the
/// cell of lane n: index(axis, n), extent(axis) and step().
/// @param written of the stencil, perhaps with axes that have changed places
std::string cell_source(const StencilSpec& spec, const Written& written);

}  // namespace terrace::stencil
