// The points of a stencil after a launch that made some levels at once: sources and receivers (points.hpp).
//
// A launch makes levels from one memory into another one, so the level before it is still there. A source changes the
// cells within radius * (levels - 1) of its own at the last level, a receiver has a value of each level; both depend
// on the cells of the level before within radius * levels of them. So a thread block makes these cells again from
// there, level by level (patch.cuh), adds the values of all sources among them after each level, and writes those
// that the source changes, or records the receiver. Where cells of two sources overlap, both write the same bits.
// Patches that fit are in shared memory (room.hpp).
#pragma once

#include "kernels/stencil/cuda/points/patch.cuh"

namespace terrace::stencil {

/// The most threads of a thread block. Not measured.
inline constexpr i32 patch_threads = 512;

/// The cells that a source changes. @param row of the source, of a periodic axis perhaps beyond the ends
template <class F, class T>
__device__ __forceinline__ GridBox changed_cells(const PointsTask<F, T>& task, const PointPlace& source, i64 row) {
  GridBox target;
  for (i32 axis = 0; axis < most_rank; ++axis) {
    const AxisFaces<T>& faces = task.levels.axes[axis];
    const i64 reach = (task.count - 1) * faces.reach, index = axis == 0 ? row : source.index[axis];
    const RowRange all = axis == 0 && (faces.low != Face::periodic || task.levels.continues != 0)
                             ? task.levels.rows
                             : RowRange{0, faces.extent};
    const bool goes_on = faces.low == Face::periodic && (axis > 0 || task.levels.continues == 0);
    target.begin[axis] = index - reach;
    target.end[axis] = index + reach + 1;
    if (goes_on) continue;
    if (target.begin[axis] < all.begin) target.begin[axis] = all.begin;
    if (target.end[axis] > all.end) target.end[axis] = all.end;
  }
  return target;
}

/// The rows at which a source is wherever the rows that are written depend on it, an extent apart.
template <class F, class T>
__device__ __forceinline__ RowRange rows_of_source(const PointsTask<F, T>& task, const PointPlace& source) {
  const AxisFaces<T>& rows = task.levels.axes[0];
  if (rows.low != Face::periodic || task.levels.continues == 0) return {source.index[0], source.index[0] + 1};
  const i64 reach = (task.count - 1) * rows.reach, begin = task.levels.rows.begin - reach;
  return {begin + wrapped_row(source.index[0] - begin, rows.extent), task.levels.rows.end + reach};
}

/// A receiver's trace in this launch; of one whose row the launch does not make none.
template <class F, class T>
__device__ __forceinline__ Trace<T> trace_of(const PointsTask<F, T>& task, const StencilTask& block, i64 number) {
  const PointLists<T>& points = task.points;
  Trace<T> trace;
  trace.place = points.receivers[number];
  const i64 row = trace.place.index[0], step = task.levels.step;
  if (row < task.levels.rows.begin || row >= task.levels.rows.end || row < block.part_begin ||
      row >= block.part_end) {
    return trace;
  }
  const i64 time = step / points.every - block.step / points.every;
  trace.to = static_cast<T*>(block.traces) + (time * points.receiver_count + number);
  trace.receivers = points.receiver_count;
  trace.every = points.every;
  trace.steps = step % points.every;
  return trace;
}

/// Thread blocks of a multiprocessor: two where the values of a thread fit into half of the registers.
template <class F, class T>
inline constexpr i32 patch_residents = F::fields * sizeof(T) <= 8 ? 2 : 1;

/// Thread blocks take points in turn: the cells of sources, then receivers.
template <class F, class T>
__global__ void __launch_bounds__(patch_threads, patch_residents<F, T>)
    make_points_kernel(const StencilState* state, const __grid_constant__ PointsTask<F, T> task) {
  __shared__ PatchRest<T> rest;
  if (state->begun == 0) return;
  const PointLists<T>& points = task.points;
#pragma unroll 1
  for (i64 n = blockIdx.x; n < points.source_count + points.receiver_count; n += gridDim.x) {
    const bool is_source = n < points.source_count;
    Trace<T> trace;
    RowRange rows{0, 0};
    if (!is_source) {
      trace = trace_of(task, state->task, n - points.source_count);
      if (trace.to != nullptr) rows = {trace.place.index[0], trace.place.index[0] + 1};
    } else if (n == 0 || !is_same_cell(points.sources[n - 1], points.sources[n])) {
      rows = rows_of_source(task, points.sources[n]);
    }
#pragma unroll 1
    for (i64 row = rows.begin; row < rows.end; row += task.levels.axes[0].extent) {
      GridBox target;
      if (is_source) {
        target = changed_cells(task, points.sources[n], row);
        if (target.is_empty()) continue;
      } else {
        for (i32 axis = 0; axis < most_rank; ++axis) {
          target.begin[axis] = trace.place.index[axis];
          target.end[axis] = trace.place.index[axis] + 1;
        }
      }
      Patch<F, T> patch(task, state->task, rest, target);
      patch.make(trace);
      if (is_source) patch.write();
      __syncthreads();  // before the room is used again
    }
  }
}

}  // namespace terrace::stencil
