// The nodes from which a step asks for distances.
#pragma once

#include <optional>
#include <vector>

#include "kernels/device/integers.hpp"
#include "stages/recursive/square_matrix.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The result of a step over a graph.
Makes made_by_searches(const Settings& settings);

/// The rows of the matrix that `sources` names, in its order; nullopt if the step asks for all.
/// @throws JobError naming what is no node of the graph
std::optional<std::vector<device::i32>> sources_of(const Request& request, const io::Source& matrix);

}  // namespace terrace::stages
