// The compilers of cells that a job writes.
#pragma once

#include <optional>

#include "kernels/compiled/cxx_compiler.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The compiler that makes cells for the CPU; none if the job says so.
/// @throws JobError if the environment says of the cache of what is compiled what it cannot mean
compiled::CxxCompiler cell_compiler(const Resources& resources);

/// StageKind::cpu_alone of stages whose cells CUDA must compile.
/// @param what of the stage is compiled, in words: "formulas"
std::optional<CpuAlone> cpu_alone_without_compiler(const char* what, bool compiles);

}  // namespace terrace::stages
