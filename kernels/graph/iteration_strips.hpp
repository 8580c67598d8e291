// Plans of schedule `ktiler` for iterations.
#pragma once

#include "kernels/graph/iteration.hpp"
#include "kernels/graph/times.hpp"

namespace terrace::graph {

/// What launches take on the device: as the spec says, else by the family's rates.
TimeTable times_of(const GraphSpec& spec);

/// Strips of an iteration that stay in the cache.
struct IterationStrips {
  i64 steps = 1;     // that are cut together
  double share = 1;  // of the time of its steps one after another
};

/// The strips of an iteration of one formula (Iteration::joined) over all of its rows; of others none.
IterationStrips strips_of(const Iteration& iteration, const TimeTable& times);

}  // namespace terrace::graph
