// The kernel's side of launches that overlap (launch_overlapping.cuh): inline assembly beside that of
// kernels/device/instructions.cuh.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::device {

/// To be called by all threads of a kernel that is launched by launch_overlapping(), before they touch memory: waits
/// until the kernels before it have ended, and lets the next kernel's thread blocks take free places and wait here.
/// Does nothing if it was launched otherwise, or before compute capability 9.0.
__device__ __forceinline__ void wait_for_earlier_kernels() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace terrace::device
