// The cut of an in-place stage into passes and slabs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kernels/in_place/sweep.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Bytes of the tiles of `tiles` slabs, or of all slabs if the grid has fewer.
std::int64_t slab_bytes(const in_place::InPlaceSpec& spec, std::int64_t tiles);

/// Chooses slabs of which several fit the budgets: on the CPU with the most sweeps a pass, on a GPU with the
/// least time of all passes.
/// @param spec problem, type and extents are read; slab_rows, pass_sweeps and the parts that are dealt to devices are
/// chosen
/// @param workspace bytes of memory that the kernel needs in addition
/// @return why one of several devices sweeps all, "": it does not; nullopt if not even the smallest slabs fit, which
/// are then those of the spec
std::optional<std::string> fit_slabs(in_place::InPlaceSpec& spec, std::int64_t sweeps, const Resources& resources,
                                     const std::function<std::int64_t(const in_place::InPlaceSpec&)>& workspace);

/// The same. @throws JobError naming the least budget if not even the smallest slabs fit
std::string choose_slabs(in_place::InPlaceSpec& spec, std::int64_t sweeps, const Resources& resources,
                         const std::function<std::int64_t(const in_place::InPlaceSpec&)>& workspace);

}  // namespace terrace::stages
