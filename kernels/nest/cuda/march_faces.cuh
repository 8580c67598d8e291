// The kernels before and after a march: they copy the faces before a block, fill the plane of levels, and finish the
// faces after the block. Compiled at run time (march_kernel.cuh).
#pragma once

#include "kernels/nest/cuda/march_window.cuh"

namespace terrace::nest {

/// Fills the plane with the levels before the block.
template <class N, int s = 0>
__device__ void fill_plane(const MarchWork& work, i64 thread, i64 threads) {
  if constexpr (s < N::statements) {
    using Shape = MarchShape<N>;
    auto* plane = plane_of<N, s>(work);
    for (i64 number = thread; number < Shape::levels_before * work.plane_values; number += threads) {
      i64 rest = number % work.plane_values;
      const i64 layer = number / work.plane_values, column = rest % Shape::columns;
      rest /= Shape::columns;
      const i64 lane = rest % march_lanes;
      rest /= march_lanes;
      const i64 row = rest % Shape::rows;
      rest /= Shape::rows;
      const i64 step = rest % work.steps, band = rest / work.steps, chunk = step - lane;
      i64 c[most_coordinates] = {};
      c[0] = work.block.begin[0] - Shape::levels_before + layer;
      c[Shape::line] = work.block.begin[Shape::line] + band * Shape::band_rows + lane * Shape::rows + row;
      c[Shape::last] = work.block.begin[Shape::last] + chunk * Shape::columns + column;
      const bool is_there =
          chunk >= 0 && c[Shape::line] < work.block.end[Shape::line] && c[Shape::last] < work.block.end[Shape::last];
      if (is_there) plane[number] = value_around<N, s>(work, c);
    }
    fill_plane<N, s + 1>(work, thread, threads);
  }
}

/// Prepares the memory of a march: any threads. @param copies of the block's faces before, null where there are none;
/// `work.before` are the faces
template <class N>
__global__ void prepare_march_kernel(const NestState* state, const __grid_constant__ MarchWork work, Word* copies) {
  if (state->begun == 0) return;
  const i64 thread = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x,
            threads = static_cast<i64>(gridDim.x) * blockDim.x;
  if (thread == 0) *work.ticket = 0;
  for (i64 n = thread; n < work.rings; n += threads) work.finished[n] = 0;
  for (i64 n = thread; n < work.rings * work.bands; n += threads)
    work.progress[n] = n / work.bands == work.rings - 1 ? static_cast<u64>(work.steps) : 0;
  for (i64 n = thread; n < work.border_words; n += threads) work.border[n] = 0;
  for (int n = 0; n < N::rank; ++n) {
    if (work.before[n] == nullptr) continue;
    i64 words = N::statements;
    for (int m = 0; m < N::rank; ++m) words *= N::halo(m) + (m == n ? 0 : work.block.end[m] - work.block.begin[m]);
    for (i64 at = thread; at < words; at += threads) copies[at] = work.before[n][at];
    copies += words;
  }
  if constexpr (MarchShape<N>::levels_before > 0) fill_plane<N>(work, thread, threads);
}

/// Writes the values of the faces after a block that lie before it along another coordinate: any threads.
template <class N, int s = 0>
__device__ void finish_faces(const MarchWork& work, int n, i64 thread, i64 threads) {
  if constexpr (s < N::statements) {
    i64 words = 1;
    for (int m = 0; m < N::rank; ++m) words *= N::halo(m) + (m == n ? 0 : work.block.end[m] - work.block.begin[m]);
    for (i64 number = thread; number < words; number += threads) {
      i64 c[most_coordinates] = {}, rest = number;
      bool is_around = false;
      for (int m = N::rank - 1; m >= 0; --m) {
        const i64 extent = N::halo(m) + (m == n ? 0 : work.block.end[m] - work.block.begin[m]);
        c[m] = rest % extent + (m == n ? work.block.end[m] : work.block.begin[m]) - N::halo(m);
        rest /= extent;
        is_around |= c[m] < work.block.begin[m];
      }
      if (is_around) work.block.after[n][s * words + number] = as_word(value_around<N, s>(work, c));
    }
    finish_faces<N, s + 1>(work, n, thread, threads);
  }
}
template <class N>
__global__ void finish_march_kernel(const NestState* state, const __grid_constant__ MarchWork work) {
  if (state->begun == 0 || state->failed != 0) return;
  const i64 thread = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x,
            threads = static_cast<i64>(gridDim.x) * blockDim.x;
  for (int n = 0; n < N::rank; ++n) {
    if (work.block.after[n] != nullptr) finish_faces<N>(work, n, thread, threads);
  }
}

}  // namespace terrace::nest
