// The choice and record of the library that fixes the bits of sums of products of real numbers.
#pragma once

#include "kernels/recursive/tiles.hpp"
#include "pipeline/base/json_library.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// On the CPU, cuts tiles for the threads of the device, or for the threads of the attempt that the request resumes.
/// Does nothing if no BLAS computes the tiles.
/// @throws JobError if that attempt used another OpenBLAS, or on CUDA another cuBLAS, or only one of the two attempts
/// has cuBLAS; DeviceError if there is no OpenBLAS on the CPU
void choose_blas(recursive::TileSpec& spec, const Request& request);

/// Adds the choice to a stage's choices.
void note_blas(nlohmann::json& choices, const recursive::TileSpec& spec, const Resources& resources);

}  // namespace terrace::stages
