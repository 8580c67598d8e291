// What fixes the bits of sums of products of real numbers, as stages choose and record it.
#pragma once

#include <nlohmann/json.hpp>

#include "kernels/recursive/tiles.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// On the CPU has tiles cut for the threads of the device, or for as many as the attempt did that the request goes on
/// from. Does nothing for what no BLAS computes.
/// @throws JobError if that attempt used another OpenBLAS, or on CUDA another cuBLAS, or one where there is none
/// here, or the other way round; DeviceError where there is no OpenBLAS on the CPU
void choose_blas(recursive::TileSpec& spec, const Request& request);

/// Adds what was chosen to a stage's choices.
void note_blas(nlohmann::json& choices, const recursive::TileSpec& spec, const Resources& resources);

}  // namespace terrace::stages
