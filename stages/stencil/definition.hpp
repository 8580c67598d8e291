// From a step of a job to the definition of its stencil.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stages/stage_kind.hpp"
#include "stages/stencil/numbers.hpp"
#include "stages/stencil/plan.hpp"
#include "stages/stencil/tally.hpp"

namespace terrace::stages {

/// A stencil as a job defines it, without its cut.
struct StencilDefinition {
  stencil::StencilSpec spec;
  bool separable = false;  // the sum is to be computed as a separable one (separated()), which `spec` is not yet
  StencilEvents events;
  StencilInputs inputs;
  StencilCheck check;
  std::vector<double> spacing;  // of cells along each axis of the grid; empty: not given
  /// Infinities found in the grid and all arrays as they are read; null with `nan: allow`.
  std::shared_ptr<FoundInfinity> infinity;
  std::vector<std::string> warnings;  // an unstable step
  /// Warnings of an unstable step and of a negative diffusivity, by the elements of an array that have been read so
  /// far. May be null.
  std::function<std::vector<std::string>()> read_warnings;
};

/// Opens the arrays of the step and reads its settings.
/// @throws JobError at the place of the setting that does not fit
StencilDefinition define_stencil(const Request& request);

/// Makes a sum a separable one. @param spec of which StencilDefinition::separable is true
void take_separable(stencil::StencilSpec& spec);

/// The parameter of a field: `grid`, or `fields.NAME` if there are several.
std::string field_parameter(std::size_t fields, const std::string& name);

}  // namespace terrace::stages
