// The source of the kernels that sweep a written cell.
#pragma once

#include "kernels/compiled/compiler.hpp"
#include "kernels/in_place/shape.hpp"
#include "kernels/in_place/sweep.hpp"

namespace terrace::in_place {

/// The kernels sweep, leave and report (kernel.cuh). @param spec of a written cell
compiled::Source written_source(const InPlaceSpec& spec, const InPlaceShape& shape);

}  // namespace terrace::in_place
