// How an in-place stage is cut into passes and slabs.
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/in_place/sweep.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Bytes that `in_flight` slabs of a pass hold in the memory of their device, with what they leave for one another.
std::int64_t slab_bytes(const wavefront::InPlaceSpec& spec, std::int64_t in_flight);

/// As many sweeps a pass as the budgets allow in slabs several times as high, and as few passes as that takes.
/// @param spec problem, type and extents are read; slab_rows and pass_sweeps are chosen
/// @param workspace bytes of device memory that the kernel needs beside
/// @throws JobError naming the least budget where not even the smallest slab fits
void choose_slabs(wavefront::InPlaceSpec& spec, std::int64_t sweeps, const Resources& resources,
                  const std::function<std::int64_t(const wavefront::InPlaceSpec&)>& workspace);

}  // namespace terrace::stages
