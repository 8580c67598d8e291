// Makes the kernels of problems over intervals on CUDA for a type of values.
#pragma once

#include "kernels/recursive/cuda/tiles.hpp"
#include "kernels/recursive/intervals.hpp"

namespace terrace::recursive {

/// Blocks of values of type T; defined in the source that the build makes for T (cuda/tiles.cu.in).
template <class T>
struct CudaIntervals {
  /// @throws DeviceError if the rule has no kernels of T
  static std::size_t workspace(const IntervalSpec& spec, std::int64_t side);
  static std::unique_ptr<device::BlockKernel> make(const IntervalSpec& spec, std::int64_t side,
                                                   device::Context& context, void* workspace);
};

}  // namespace terrace::recursive
