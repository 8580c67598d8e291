// Launches the kernel that streams planes. Included by the sources that the build makes from
// cuda/planes/volume.cu.in and cuda/planes/parts.cu.in.
#pragma once

#include "kernels/stencil/cuda/planes/kernel.cuh"
#include "kernels/stencil/cuda/planes/launcher.cuh"
#include "kernels/stencil/operator.hpp"

namespace terrace::stencil {

/// The kernel of a shape.
template <class S>
VolumeKernel<typename S::Value> volume_kernel_of() {
  return volume_kernel_of<typename S::Value, typename S::Task>(
      S::frame, device::make_kernel(volume_kernel<S, true>, "volume_kernel"),
      device::make_kernel(volume_kernel<S, false>, "volume_kernel"));
}

template <class T, VolumeKind kind, int radius>
VolumeKernel<T> CudaVolumeKernel<T, kind, radius>::kernel() {
  constexpr measured::VolumeSizes sizes = measured::CudaVolume::sizes(kind == VolumeKind::box, radius, sizeof(T));
  return volume_kernel_of<VolumeShape<T, kind, radius, sizes>>();
}

template <class F, class T>
VolumeKernel<T> CudaPartsKernel<F, T>::kernel() {
  if constexpr (InTwoParts<F>) {
    constexpr measured::VolumeSizes sizes = measured::CudaVolume::part_sizes(F::fields, F::handed, sizeof(T));
    return volume_kernel_of<VolumeShape<T, VolumeKind::parts, 1, sizes, F>>();
  } else {
    return {};
  }
}

}  // namespace terrace::stencil
