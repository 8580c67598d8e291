// Shortest paths of sparse graphs, by a search from each node, as a part of the stage `recursive`.
#pragma once

#include <memory>

#include "pipeline/run/stage.hpp"
#include "stages/recursive/weights.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// True if a step that keeps reductions makes a histogram of its distances.
bool makes_histogram(const Settings& settings);

/// True if the plan that is resumed is one of searches.
bool has_searched(const nlohmann::json& choices);

/// Plans a step whose matrix io::is_graph(), for distances of that type. @throws JobError
std::unique_ptr<run::Stage> make_searches(const Request& request, const io::Source& matrix, const WeightRules& rules,
                                          ElementType value);

}  // namespace terrace::stages
