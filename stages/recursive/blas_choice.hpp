// What fixes the bits of sums of products of real numbers on the CPU, as stages choose and record it.
#pragma once

#include <nlohmann/json.hpp>

#include "kernels/recursive/updates.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Has tiles cut for the threads of the device, or for as many as the attempt did that the request goes on from. Does
/// nothing where OpenBLAS is not what computes.
/// @throws JobError where that attempt used another OpenBLAS; DeviceError where there is none
void choose_blas(recursive::TileSpec& spec, const Request& request);

/// Adds what was chosen to a stage's choices.
void note_blas(nlohmann::json& choices, const recursive::TileSpec& spec, const Resources& resources);

}  // namespace terrace::stages
