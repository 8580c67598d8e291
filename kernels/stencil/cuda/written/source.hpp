// The source of the kernels of a stencil whose cells a job writes as formulas.
#pragma once

#include <string>
#include <vector>

#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

/// The cell as a struct `terrace::stencil::Cell` (operator.hpp).
std::string cell_source(const StencilSpec& spec);

}  // namespace terrace::stencil
