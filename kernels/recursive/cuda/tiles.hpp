// Makes the kernels of updates of tiles on CUDA for a type of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/recursive/tiles.hpp"

namespace terrace::recursive {

/// Updates of tiles of values of type T; defined in the source that the build makes for T (cuda/tiles.cu.in).
template <class T>
struct CudaTiles {
  /// @throws DeviceError if algebra number `semiring` has no kernels of T
  static std::size_t workspace(int semiring, std::int64_t side);
  static std::unique_ptr<device::BlockKernel> make(int semiring, std::int64_t side, device::Context& context,
                                                   void* workspace);
};

/// Updates of tiles of distances with trails of type W; defined in the source that the build makes for W
/// (cuda/paths.cu.in).
template <class W>
struct CudaPaths {
  /// @throws DeviceError if there are no kernels of distances of that type
  static std::size_t workspace(ElementType type, std::int64_t side);
  static std::unique_ptr<device::BlockKernel> make(ElementType type, std::int64_t side, device::Context& context,
                                                   void* workspace);
};

/// Updates of tiles of bits, and of counts by them (cuda/bits.cu.in).
struct CudaBits {
  static std::size_t workspace(std::int64_t side);
  /// @param table that has_bit_factors()
  static std::unique_ptr<device::BlockKernel> make(Table table, std::int64_t side, device::Context& context,
                                                   void* workspace);
};

}  // namespace terrace::recursive
