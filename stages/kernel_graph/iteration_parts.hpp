// Long iterations: some of their steps at a time, in parts of the graph between which the states are stored.
#pragma once

#include <cstdint>
#include <vector>

#include "stages/kernel_graph/plan.hpp"

namespace terrace::stages {

/// The steps of each iteration of the graph (graph::iterations_of) that a part makes, so that a block takes about
/// graph_block_seconds or graph_cuda_block_seconds (measured.hpp), and what passes from part to part a small share of
/// a part's time; 0: all of them.
/// @param plan of the graph whose iterations are whole
std::vector<std::int64_t> steps_of_parts(const GraphPlan& plan, const Resources& resources);

/// A graph whose iterations store their states after so many steps each (steps_of_parts), and renew them as long as
/// steps are left (parts.hpp). Other values that these read are stored, too.
graph::Graph with_stored_steps(const graph::Graph& whole, const std::vector<std::int64_t>& steps);

/// Seconds that a part is expected to take, as often as it is computed.
double seconds_of(const PlannedPart& part, const device::Limits& limits);

}  // namespace terrace::stages
