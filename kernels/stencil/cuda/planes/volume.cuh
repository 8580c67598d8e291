// Launches the kernel that streams planes. Included by the sources that the build makes from
// cuda/planes/volume.cu.in.
#pragma once

#include "kernels/stencil/cuda/planes/kernel.cuh"
#include "kernels/stencil/cuda/planes/launcher.cuh"

namespace terrace::stencil {

/// The kernel of a shape.
template <class S>
VolumeKernel<typename S::Value> volume_kernel_of() {
  return volume_kernel_of<typename S::Value>(S::frame, device::make_kernel(volume_kernel<S, true>, "volume_kernel"),
                                             device::make_kernel(volume_kernel<S, false>, "volume_kernel"));
}

template <class T, VolumeKind kind, int radius>
VolumeKernel<T> CudaVolumeKernel<T, kind, radius>::kernel() {
  return volume_kernel_of<VolumeShape<T, kind, radius, volume_sizes(kind, radius, sizeof(T))>>();
}

}  // namespace terrace::stencil
