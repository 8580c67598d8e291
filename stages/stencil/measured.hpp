// The measured sizes of the slabs of stencils, each with the machine and the rate that it was chosen by.
//
// Results never depend on them. They are recorded among the choices of a stage. "Not measured" marks a value of which
// no figure is recorded. Sizes and rates of the kernels stand in kernels/stencil.
#pragma once

#include <cstdint>

namespace terrace::stages::measured {

/// Slabs of a pass.
struct StencilSlabs {
  /// The most steps of a pass. Not measured.
  static constexpr std::int64_t most_pass_steps = 512;
  /// Bytes of a tile of a field: larger ones make disks and links no faster. Not measured.
  static constexpr std::int64_t most_tile_bytes = 256 << 20;
  /// Bytes of a slab of a field: the first one is read before a pass begins. H100, 2026-11-28, star2d of radius 1 in
  /// f32, 65536 x 32768, 512 steps: 256 MiB 3.66 T cells/s, 512 MiB 3.95 T.
  static constexpr std::int64_t most_slab_bytes = 512 << 20;
  /// Share of the rate of a device's memory that kernels are expected to have where it limits them. Not measured.
  static constexpr double memory_share = 0.8;
  /// Share of the time of moving that is expected beside the longest one of moving and computing: disks and links may
  /// be slower than their rates. Not measured.
  static constexpr double moving_share = 0.125;
  /// Seconds from a launch to the next one beside what they compute. Not measured.
  static constexpr double launch_seconds = 3e-6;
  /// Cells of a grid from which on several devices compute it, though it fits one. Not measured.
  static constexpr double least_dealt_cells = 1 << 25;
  /// Rows of a slab over those of its rims, at least, where each of several devices has one. Not measured.
  static constexpr std::int64_t least_rims = 16;
  /// Cells of one block of a whole grid, times steps: some tenths of a second, so that a stop is soon. Not measured.
  static constexpr double cpu_updates = 1e9, cuda_updates = 5e11;
};

}  // namespace terrace::stages::measured
