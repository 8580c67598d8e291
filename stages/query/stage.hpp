// Questions about a table of distances.
#pragma once

#include <memory>

#include "pipeline/run/stage.hpp"
#include "stages/stage_kind.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {

/// What computes its blocks, on either back end.
inline constexpr SingleMethod query_method = {"reductions", "rows of a tile of distances, reduced and looked up"};

/// True if a step asks for a histogram.
bool asks_histogram(const Settings& settings);

/// Plans a step of a job that asks about a table of distances. @throws JobError
std::unique_ptr<run::Stage> make_query(const Request& request);

}  // namespace terrace::stages
