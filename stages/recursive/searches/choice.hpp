// The choice between searches and updates of tiles for shortest paths.
#pragma once

#include <optional>

#include "stages/recursive/weights.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// True if a step's paths are found by searches: where its schedule says so, or `sources`, and with `auto` in a graph
/// where that is expected to take less time. `auto` searches only distances of whole numbers, which are the same by
/// any schedule: real ones are summed in another order.
/// @param value type of the distances @param cpu limits of the CPU, which searches
/// @throws JobError if searches are asked for, of what is no graph
bool is_searched(const Request& request, const io::Source& matrix, const WeightRules& rules, ElementType value,
                 const device::Limits& cpu);

}  // namespace terrace::stages
