// Values that all lanes of a warp share, so that the compiler keeps them in uniform registers.
//
// The compiler takes a branch whose condition comes from threadIdx or from memory for one that may divide a warp.
// Then it keeps no operand in a uniform register in what follows: a kernel whose warps have different roles needs a
// third more registers and many instructions more.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::device {

/// The value of lane 0, of which the compiler knows that all lanes have it. All lanes of the warp call together.
__device__ __forceinline__ i32 uniform(i32 value) { return __shfl_sync(~0u, value, 0); }

/// The number of the calling thread's warp in its thread block, in the same way.
__device__ __forceinline__ i32 uniform_warp() { return uniform(static_cast<i32>(threadIdx.x / 32)); }

}  // namespace terrace::device
