// From a step of a job to the definition of its stencil.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "stages/stage_kind.hpp"
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
  std::vector<std::string> warnings;  // an unstable step
  /// A warning of an unstable step, by the elements of an array that have been read so far; "": stable. May be null.
  std::function<std::string()> read_warning;
};

/// Opens the arrays of the step and reads its settings.
/// @throws JobError at the place of the setting that does not fit
StencilDefinition define_stencil(const Request& request);

/// Makes a sum a separable one. @param spec of which StencilDefinition::separable is true
void take_separable(stencil::StencilSpec& spec);

/// The parameter of a field: `grid`, or `fields.NAME` if there are several.
std::string field_parameter(std::size_t fields, const std::string& name);

}  // namespace terrace::stages
