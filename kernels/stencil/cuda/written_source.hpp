// The source of the kernels of a stencil whose cells a job writes as formulas.
#pragma once

#include <string>
#include <vector>

#include "kernels/compiled/compiler.hpp"
#include "kernels/stencil/cuda/planes/written_parts.hpp"
#include "kernels/stencil/cuda/planes/written_windows.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

/// Its kernels: 0 makes steps; then one of each shape, which streams rows; then, if the stencil has points, one that
/// makes these.
/// @param shapes as they are written in namespace terrace::stencil, where `Cell` is the formulas' struct
compiled::Source written_source(const StencilSpec& spec, const std::vector<std::string>& shapes);

/// The same of formulas whose planes stream in two parts: 0 makes steps, 1 streams planes, for lines as they begin
/// (has_aligned_lines()); then points, if there are some.
compiled::Source written_source(const StencilSpec& spec, const PlaneParts& parts);
/// The same of formulas whose planes stream in windows. @param arrays of the kernel (FormulaArrays) @param fewer as
/// in window_sizes()
compiled::Source written_source(const StencilSpec& spec, const PlaneWindows& windows, int arrays, bool fewer);

}  // namespace terrace::stencil
