// How an in-place stage is cut into passes and slabs.
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/in_place/sweep.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Bytes of the tiles of so many slabs, as far as the grid has them.
std::int64_t slab_bytes(const wavefront::InPlaceSpec& spec, std::int64_t tiles);

/// Chooses slabs of which several fit the budgets: on the CPU for as many sweeps a pass as that allows, on a GPU so
/// that the passes take least time.
/// @param spec problem, type and extents are read; slab_rows and pass_sweeps are chosen
/// @param workspace bytes of memory that the kernel needs in addition
/// @throws JobError naming the least budget where not even the smallest slab fits
void choose_slabs(wavefront::InPlaceSpec& spec, std::int64_t sweeps, const Resources& resources,
                  const std::function<std::int64_t(const wavefront::InPlaceSpec&)>& workspace);

}  // namespace terrace::stages
