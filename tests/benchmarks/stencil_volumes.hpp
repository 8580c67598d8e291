// Sizes of the kernel that streams planes of three dimensions, for a program that compares them.
#pragma once

#include <vector>

#include "kernels/stencil/cuda/volumes/volume.hpp"

namespace terrace::stencil {

/// Levels, lines, lanes, warps, slots, thread blocks a multiprocessor, for radius 1.
template <class T, VolumeKind kind>
struct VolumeSizeList;
template <>
struct VolumeSizeList<float, VolumeKind::star> {
  static constexpr measured::VolumeSizes all[] = {
      {4, 2, 16, 16, 4, 1}, {3, 2, 16, 16, 4, 1}, {2, 2, 16, 16, 4, 1}, {4, 2, 32, 16, 4, 1}, {3, 2, 32, 16, 4, 1},
      {4, 4, 16, 8, 4, 1},  {3, 4, 16, 8, 4, 1},  {3, 4, 32, 8, 4, 1},  {3, 6, 16, 8, 4, 1},  {3, 2, 16, 8, 4, 2},
      {2, 2, 16, 8, 4, 2},  {4, 2, 16, 16, 2, 1}, {2, 4, 16, 16, 4, 1},
  };
};
template <>
struct VolumeSizeList<double, VolumeKind::star> {
  static constexpr measured::VolumeSizes all[] = {
      {4, 4, 32, 8, 4, 1},  {3, 4, 32, 8, 4, 1},  {2, 4, 32, 8, 4, 1}, {4, 4, 16, 8, 4, 1},
      {3, 4, 16, 8, 4, 1},  {3, 6, 32, 8, 4, 1},  {3, 5, 32, 8, 4, 1}, {3, 2, 32, 16, 4, 1},
      {4, 2, 32, 16, 4, 1}, {2, 4, 32, 16, 4, 1}, {2, 2, 32, 8, 4, 2}, {4, 4, 32, 8, 2, 1},
  };
};
template <>
struct VolumeSizeList<float, VolumeKind::box> {
  static constexpr measured::VolumeSizes all[] = {
      {2, 4, 16, 8, 4, 1},  {3, 4, 16, 8, 4, 1}, {2, 2, 16, 16, 4, 1}, {3, 2, 16, 16, 4, 1}, {2, 4, 32, 8, 4, 1},
      {2, 3, 16, 16, 4, 1}, {2, 6, 16, 8, 4, 1}, {2, 2, 16, 8, 4, 2},  {1, 4, 16, 16, 4, 1}, {2, 4, 16, 8, 2, 1},
  };
};
template <>
struct VolumeSizeList<double, VolumeKind::box> {
  static constexpr measured::VolumeSizes all[] = {
      {2, 4, 32, 8, 4, 1},  {2, 3, 32, 8, 4, 1}, {2, 2, 32, 8, 4, 1},  {2, 4, 16, 8, 4, 1},
      {2, 2, 32, 16, 4, 1}, {1, 4, 32, 8, 4, 1}, {1, 4, 32, 16, 4, 1}, {2, 4, 32, 8, 2, 1},
  };
};

/// The kernels of a list; defined in the source that the build makes for the two (stencil_volumes.cu.in).
template <class T, VolumeKind kind>
std::vector<VolumeKernel<T>> volume_kernels();

}  // namespace terrace::stencil
