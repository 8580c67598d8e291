// From a step of a job to the definition of its nest.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/nest/sweep.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// A nest as a job defines it, without its cut.
struct NestDefinition {
  nest::NestSpec spec;
  std::vector<nest::Dependence> kept_dependences;   // that the skew keeps: the flow, and with `storage: given` more
  std::vector<std::shared_ptr<io::Source>> inputs;  // of the nest, in its order
  std::vector<Place> places;                        // of the statements' texts
};

/// Opens the inputs of the step, and reads its texts.
/// @throws JobError at the place of what is no nest
NestDefinition define_nest(const Request& request);

}  // namespace terrace::stages
