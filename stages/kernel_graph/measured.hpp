// The sizes that plans of graphs of kernels assume. Results never depend on them.
#pragma once

#include <cstdint>

namespace terrace::stages::measured {

/// Bytes of all values of a slab, about: so that a run has many of them, where that does hardly any work twice. Not
/// measured.
inline constexpr std::int64_t graph_slab_bytes = std::int64_t{64} << 20;
/// The same on CUDA, where each node of a slab is a launch. Not measured.
inline constexpr std::int64_t graph_cuda_slab_bytes = std::int64_t{512} << 20;
/// The share of work that smaller slabs may add. Not measured.
inline constexpr double graph_repeated_share = 0.02;

}  // namespace terrace::stages::measured
