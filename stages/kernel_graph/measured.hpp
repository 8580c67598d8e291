// The sizes that plans of graphs of kernels assume. Results never depend on them.
#pragma once

#include <cstdint>

namespace terrace::stages::measured {

/// Bytes of all values of a slab, about: so that a run has many of them, where that does hardly any work twice. Not
/// measured.
inline constexpr std::int64_t graph_slab_bytes = std::int64_t{64} << 20;
/// The same on CUDA, where each node of a slab is a launch. H200, 2026-12-01, the whole flow of 16384 x 16384, fast,
/// 5 levels of 3 warps of 500 iterations, the stage: 512 MiB 2.04 s, 1 GiB 1.66 s, 2 GiB 1.72 s, 4 GiB 1.70 s.
inline constexpr std::int64_t graph_cuda_slab_bytes = std::int64_t{1} << 30;
/// Seconds that a block of an iteration takes, about, and at least where the iteration is cut into parts: longer ones
/// only wait longer for a checkpoint, and for a stop. Not measured.
inline constexpr double graph_block_seconds = 0.1;
/// The same on CUDA, where it is more than 500 iterations of optical flow over 16384 x 16384 cells take on an H200.
/// Not measured.
inline constexpr double graph_cuda_block_seconds = 1;
/// The share of the time of such a part that its arrays may take from memory and to it, at most. Not measured.
inline constexpr double graph_moving_share = 1.0 / 16;
/// Bytes a second that the memory of a device moves whose rate is not known. Not measured.
inline constexpr double graph_memory_bytes_per_second = 1e10;
/// The share of work that smaller slabs may add. Not measured.
inline constexpr double graph_repeated_share = 0.02;

}  // namespace terrace::stages::measured
