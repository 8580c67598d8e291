// Several steps of a formula of radius 1 in two dimensions, with rows streamed through registers.
#pragma once

#include "kernels/stencil/cuda/formulas/level.cuh"
#include "kernels/stencil/cuda/streams/kernel.cuh"

namespace terrace::stencil {

template <class S>
__global__ void __launch_bounds__(32 * (S::warps + 1), S::sizes.blocks)
    formula_stream_kernel(const StencilState* state, const __grid_constant__ typename S::Task task) {
  if (state->begun == 0) return;
  if constexpr (S::arrays > 0) ArrayPlaces<S>::clear();
  Stream<S>(task, NoMaps{}).run();
}

}  // namespace terrace::stencil
