// The measured rates and sizes that plans of stencils assume, each with the machine and the rate that it was chosen
// by.
//
// Results never depend on them. Sizes shape slabs, and are recorded among the choices of a stage. "Not measured"
// marks a value of which no figure is recorded. Sizes of the kernels themselves stand in
// kernels/stencil/measured.hpp.
#pragma once

#include <cstdint>

namespace terrace::stages::measured {

/// Slabs of a pass.
struct StencilSlabs {
  /// Steps of a pass that are tried. Not measured.
  static constexpr std::int64_t pass_steps[] = {512, 384, 256, 192, 128, 96, 64, 48, 32,
                                                24,  16,  12,  8,   6,   4,  3,  2,  1};
  /// Bytes of a slab of a field: larger ones make disks and links no faster. Not measured.
  static constexpr std::int64_t most_bytes = 256 << 20;
  /// Tiles of a field on the device: a slab, the one above it, one that comes and one that goes. Not measured.
  static constexpr std::int64_t tiles = 4;
  /// Tiles of a constant array. Not measured.
  static constexpr std::int64_t array_tiles = 3;
  /// Cells of a grid from which on several devices compute it, though it fits one. Not measured.
  static constexpr double least_dealt_cells = 1 << 25;
  /// Rows of a slab over those of its rims, at least, where each of several devices has one. Not measured.
  static constexpr std::int64_t least_rims = 16;
  /// Cells of one block of a whole grid, times steps: some tenths of a second, so that a stop is soon. Not measured.
  static constexpr double cpu_updates = 1e9, cuda_updates = 5e11;
};

/// Updates of cells a second that are assumed of a sum of one term, f32: a formula takes as many times longer as it
/// has operations. Not measured.
inline constexpr double stencil_cpu_rate = 8e9, stencil_cuda_rate = 5e11;

}  // namespace terrace::stages::measured
