// Shortest paths as a part of the stage `recursive`.
#pragma once

#include <memory>
#include <optional>

#include "pipeline/run/stage.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Plans a step of a job that asks for shortest paths. @throws JobError
std::unique_ptr<run::Stage> make_floyd_warshall(const Request& request);

/// StageKind::cpu_alone of such a step: searches are made by the CPU. @throws JobError
std::optional<CpuAlone> searches_alone(const Request& request);

}  // namespace terrace::stages
