// The cut of a stencil into passes and slabs.
#pragma once

#include <functional>

#include "kernels/launch/method.hpp"
#include "kernels/stencil/stencil.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The tiles that the blocks of a stencil need.
struct StencilNeeds {
  std::int64_t fields = 1;
  bool snapshots = false, receivers = false;
  std::int64_t check_every = 0;  // steps from check to check; 0: there are none
};

/// The tiles that are on a device at a time.
enum class Held {
  own,    // those of a block
  others  // also those that come and go meanwhile
};

/// The kernel that computes a stencil, as cuts are chosen for it.
struct StencilKernel {
  device::Cost cost;     // of a cell and step
  double lost_rows = 0;  // of a launch (kernels/stencil/methods.hpp)
  /// Bytes of memory that a cut takes beside tiles.
  std::function<std::int64_t(const stencil::StencilSpec&)> workspace;
};

/// Times of a tile of the dataset of receivers: those of the longest pass, and more if they are few; with checks so
/// many that the tiles are whole after each, where the stage may end.
/// @param check_every steps from check to check; 0: there are none
std::int64_t receiver_tile_times(const stencil::StencilSpec& spec, std::int64_t check_every);

/// Bytes of the largest tile of a plan.
std::int64_t stencil_tile_bytes(const stencil::StencilSpec& spec, const StencilNeeds& needs);

/// Bytes of tiles, carries and rims on a device while it computes the largest block.
/// @param held own: the least with which it can
std::int64_t stencil_slab_bytes(const stencil::StencilSpec& spec, const StencilNeeds& needs, Held held);

/// True if the memory of a device or, on the CPU, of the host has room for a cut.
bool has_room_for_slabs(const stencil::StencilSpec& spec, const StencilNeeds& needs, Held held,
                        const Resources& resources, const StencilKernel& kernel);

/// Expected seconds of a cell and step: with what is lost where launches over low slabs begin and end.
double stencil_cell_seconds(const stencil::StencilSpec& spec, const Resources& resources,
                            const StencilKernel& kernel);

/// Expected seconds of so many steps in the passes of a cut, whose slabs follow one another: the longest of
/// computing, moving the grid once a pass, and preparing blocks.
double stencil_seconds(const stencil::StencilSpec& spec, std::int64_t steps, const Resources& resources,
                       const StencilKernel& kernel);

/// Chooses slab_rows, slab_tiles, pass_steps, at_once and parts: the whole grid as one slab if it fits the budgets;
/// on several devices a slab for each; else slabs of which several fit, with the least expected time.
/// @param span the most steps that a pass may have
/// @throws JobError naming the least budget if not even the smallest slab fits
void choose_stencil_slabs(stencil::StencilSpec& spec, const StencilNeeds& needs, std::int64_t span,
                          const Resources& resources, const StencilKernel& kernel);

}  // namespace terrace::stages
