// Ranges of weights as inputs state them, and what is read against them.
#pragma once

#include <cstdint>
#include <optional>

#include "io/source.hpp"
#include "stages/recursive/weight_rules.hpp"

namespace terrace::stages {

/// The whole weights that a matrix states it has, without elements that mean no edge; nullopt if it states none, or
/// numbers beyond i64.
std::optional<StatedWeights> stated_weights(const io::Source& matrix, const WeightRules& rules);

/// Finds the first element that is neither no edge nor in the range of WeightRules::stated.
/// @param type of the matrix @return its number in [0, count), or nullopt if there is none
std::optional<std::int64_t> first_outside(ElementType type, const void* values, std::int64_t count,
                                          const WeightRules& rules);

}  // namespace terrace::stages
