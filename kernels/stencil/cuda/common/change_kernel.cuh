// The changes of rows in a step, and their sum, in the order of rules/change.hpp.
#pragma once

#include "kernels/stencil/cuda/common/lines.hpp"
#include "kernels/stencil/cuda/common/rows_kernel.cuh"
#include "kernels/stencil/rules/change.hpp"

namespace terrace::stencil {

/// The fields before and after a step.
template <class T>
struct ChangeTask {
  i32 fields;
  Norm norm;
  Lines<T> before[most_fields], after[most_fields];
  RowRange rows;
  i64 width, extent;  // values of a row; rows of the grid
  Rows changes;

  /// The number of the first cell of a row.
  TERRACE_HOST_DEVICE i64 first_cell(i32 field, i64 row) const { return (field * extent + row) * width; }
};

/// The sum over the lanes of a warp, in lane 0.
__device__ __forceinline__ double sum_of_lanes(double lane, Norm norm) {
  for (i32 half = static_cast<i32>(change_lanes / 2); half > 0; half /= 2) {
    lane = joined(lane, __shfl_down_sync(~0u, lane, half), norm);
  }
  return lane;
}

/// A warp's sum of the values of one group, in lane 0. @param count of values from `begin` on; add_to(sum, index)
template <class AddTo>
__device__ __forceinline__ double sum_of_group(i64 begin, i64 count, Norm norm, const AddTo& add_to) {
  const i64 end = begin + change_group < count ? begin + change_group : count;
  double lane = 0;
  for (i64 i = begin + static_cast<i64>(threadIdx.x % 32); i < end; i += change_lanes) lane = add_to(lane, i);
  return sum_of_lanes(lane, norm);
}

/// Warps take rows in turn. The cells after the step that are not finite are counted as they pass.
template <class T>
__global__ void find_changes_kernel(StencilState* state, ChangeTask<T> task) {
  if (state->begun == 0) return;
  NotFinite found;
  const i64 warps = threads_of_launch() / 32;
  for (i64 row = task.rows.begin + first_of_thread() / 32; row < task.rows.end; row += warps) {
    double change = 0;
    for (i32 f = 0; f < task.fields; ++f) {
      const T* before = task.before[f].row(row, task.width);
      const T* after = task.after[f].row(row, task.width);
      double total = 0;
      for (i64 begin = 0; begin < task.width; begin += change_group) {
        const double group = sum_of_group(begin, task.width, task.norm, [&](double sum, i64 i) {
          if (!is_finite(after[i])) found.add(task.first_cell(f, row) + i);
          return with_difference(sum, static_cast<double>(minus(after[i], before[i])), task.norm);
        });
        total = joined(total, group, task.norm);
      }
      change = joined(change, total, task.norm);
    }
    if (threadIdx.x % 32 == 0) *task.changes.template row<double>(row, 1) = change;
  }
  add_not_finite(state, found);
}

/// The same of rows of one value: threads take rows in turn.
template <class T>
__global__ void find_single_changes_kernel(StencilState* state, ChangeTask<T> task) {
  if (state->begun == 0) return;
  NotFinite found;
  for (i64 row = task.rows.begin + first_of_thread(); row < task.rows.end; row += threads_of_launch()) {
    double change = 0;
    for (i32 f = 0; f < task.fields; ++f) {
      const T after = *task.after[f].row(row, 1), difference = minus(after, *task.before[f].row(row, 1));
      if (!is_finite(after)) found.add(task.first_cell(f, row));
      // Lane 0 is joined with empty lanes.
      const double lane = joined(with_difference(0, static_cast<double>(difference), task.norm), 0, task.norm);
      change = joined(change, joined(0, lane, task.norm), task.norm);
    }
    *task.changes.template row<double>(row, 1) = change;
  }
  add_not_finite(state, found);
}

/// Warps add up groups of changes: sums[g] of group g.
template <class T>
__global__ void add_groups_kernel(const StencilState* state, const double* changes, i64 count, Norm norm,
                                  double* sums) {
  if (state->begun == 0) return;
  const i64 warps = threads_of_launch() / 32;
  for (i64 group = first_of_thread() / 32; group * change_group < count; group += warps) {
    const double sum = sum_of_group(group * change_group, count, norm,
                                    [&](double lane, i64 i) { return joined(lane, changes[i], norm); });
    if (threadIdx.x % 32 == 0) sums[group] = sum;
  }
}

/// One warp: adds up the sums of groups, one after another.
template <class T>
__global__ void add_sums_kernel(StencilState* state, const double* sums, i64 count, Norm norm) {
  if (state->begun == 0) return;
  double total = 0;
  for (i64 begin = 0; begin < count; begin += 32) {
    const i64 mine = begin + static_cast<i64>(threadIdx.x);
    const double sum = mine < count ? sums[mine] : 0;
    for (i32 lane = 0; lane < 32 && begin + lane < count; ++lane) {
      total = joined(total, __shfl_sync(~0u, sum, lane), norm);
    }
  }
  if (threadIdx.x == 0) state->total = total;
}

}  // namespace terrace::stencil
