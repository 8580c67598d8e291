// The type of the distances of shortest paths.
#pragma once

#include <optional>

#include "stages/recursive/weights.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The type of the distances, and what is known of the weights by then.
struct ChosenType {
  ElementType value;
  std::optional<StatedWeights> stated;
};

/// The type that a step asks for, or the narrowest that is sure to hold the distances of a matrix of integers.
/// @throws JobError
ChosenType choose_distance_type(const Request& request, io::Source& matrix, const WeightRules& rules);

/// True if distances can be computed by what is stated of the weights. Without negative ones they are held against
/// infinity once they are known.
bool suffices(const StatedWeights& stated, ElementType value, std::int64_t nodes);

}  // namespace terrace::stages
