// The points of a stencil after a launch that made some levels at once: sources and receivers (points.hpp).
//
// A launch makes levels from one memory into another one, so the level before it is still there. A source changes the
// cells within radius * (levels - 1) of its own at the last level, a receiver has a value of each level; both depend
// on the cells of the level before within radius * levels of them. So a thread block makes these cells again from
// there, level by level, adds the values of all sources among them after each level, and writes those that the source
// changes, or records the receiver. Where cells of two sources overlap, both write the same bits.
//
// Cells that are made again lie in a box around the point, a *patch*. Along a periodic axis it may go on beyond the
// ends of the grid, or around it; elsewhere it is cut at them.
#pragma once

#include "kernels/stencil/cuda/points/lists.hpp"
#include "kernels/stencil/cuda/steps/kernel.cuh"

namespace terrace::stencil {

/// The most threads of a thread block. Not measured.
inline constexpr i32 patch_threads = 512;

/// The points of a launch.
template <class F, class T>
struct PointsTask {
  StepTask<F, T> levels;  // `from` the level before the launch, `to` the last one, of which `rows` are written
  i64 count;              // levels
  PointLists<T> points;
  i64 patch_values;  // room of a thread block in `points.patches`: for two patches of each field
};

/// Cells along the three axes, half-open. Along a periodic axis they may lie beyond the grid's ends.
struct PatchBox {
  i64 begin[most_rank], end[most_rank];

  __device__ __forceinline__ i64 extent(i32 axis) const {
    return end[axis] > begin[axis] ? end[axis] - begin[axis] : 0;
  }
  __device__ __forceinline__ i64 cells() const { return extent(0) * extent(1) * extent(2); }
  __device__ __forceinline__ bool has(const i64 (&index)[most_rank]) const {
    bool inside = true;
    for (i32 axis = 0; axis < most_rank; ++axis) inside &= index[axis] >= begin[axis] && index[axis] < end[axis];
    return inside;
  }
  /// The index of cell `number`.
  __device__ __forceinline__ void find(i64 number, i64 (&index)[most_rank]) const {
    const u32 cell = static_cast<u32>(number), last = static_cast<u32>(extent(2)),
              middle = static_cast<u32>(extent(1));
    index[2] = begin[2] + cell % last;
    index[1] = begin[1] + cell / last % middle;
    index[0] = begin[0] + cell / last / middle;
  }
  __device__ __forceinline__ i64 place(const i64 (&index)[most_rank]) const {
    return ((index[0] - begin[0]) * extent(1) + index[1] - begin[1]) * extent(2) + index[2] - begin[2];
  }
};

/// The index in the grid of one that may lie beyond the ends of a periodic axis.
__device__ __forceinline__ i64 index_in(i64 index, i64 extent) {
  return index >= 0 && index < extent ? index : wrapped_row(index, extent);
}

/// The values of a level of a patch around a cell whose neighbours are all in the grid.
template <class F, class T>
struct PatchAt : ArraysAt<T> {
  const StepTask<F, T>& levels;
  i64 indices[most_rank], steps;  // of the cell, in the grid; steps made before
  const T* centre;                // the cell's value of field 0
  i64 field_values, plane, line;  // values from one field, plane and line to the next

  __device__ __forceinline__ T operator()(i32 field, i32 d0, i32 d1, i32 d2) const {
    return centre[field * field_values + d0 * plane + d1 * line + d2];
  }
  __device__ __forceinline__ i64 index(i32 axis, i32) const { return indices[axis]; }
  __device__ __forceinline__ i64 extent(i32 axis) const { return levels.axes[axis].extent; }
  __device__ __forceinline__ i64 step() const { return steps; }
};

/// The same around any cell.
template <class F, class T>
struct PatchFacesAt : PatchAt<F, T> {
  using Base = PatchAt<F, T>;

  __device__ T operator()(i32 field, i32 d0, i32 d1, i32 d2) const {
    const i64 offset[] = {d0, d1, d2};
    i64 moved[most_rank];
    for (i32 axis = 0; axis < most_rank; ++axis) {
      const AxisFaces<T>& faces = this->levels.axes[axis];
      moved[axis] = offset[axis];
      if (faces.low == Face::periodic) continue;
      const i64 at = mapped_index(this->indices[axis] + offset[axis], faces.extent, faces.low, faces.high);
      if (at < 0) return at == low_outside ? faces.low_value : faces.high_value;
      moved[axis] = at - this->indices[axis];
    }
    return Base::centre[field * Base::field_values + moved[0] * Base::plane + moved[1] * Base::line + moved[2]];
  }
};

/// A thread block makes the cells around a point again.
template <class F, class T>
class Patch {
 public:
  /// @param target cells of the last level that are wanted
  __device__ Patch(const PointsTask<F, T>& task, const StencilTask& block, T* values, const PatchBox& target)
      : task_(task), levels_(task.levels), block_(block), target_(target), box_(before(task.count)) {
    cells_ = box_.cells();
    for (i32 half = 0; half < 2; ++half) values_[half] = values + half * F::fields * cells_;
  }

  /// Makes all levels, and calls after_level(level) after each, when its values are there, in all threads.
  template <class AfterLevel>
  __device__ void make(const AfterLevel& after_level) {
    load();
    __syncthreads();
    for (i64 level = 1; level <= task_.count; ++level) {
      const PatchBox cells = before(task_.count - level);
      for (i64 n = threadIdx.x; n < cells.cells(); n += blockDim.x) {
        i64 index[most_rank];
        cells.find(n, index);
        make_cell(level, index);
      }
      __syncthreads();
      add_sources(level, cells);
      __syncthreads();
      after_level(level);
    }
  }

  /// The value of a cell of the patch at a level, the last one that is made.
  __device__ T value(i64 level, i32 field, const i64 (&index)[most_rank]) const {
    return values_[level % 2][field * cells_ + box_.place(index)];
  }

  /// Writes the wanted cells.
  __device__ void write() const {
    for (i64 n = threadIdx.x; n < target_.cells(); n += blockDim.x) {
      i64 index[most_rank];
      target_.find(n, index);
      for (i32 f = 0; f < F::fields; ++f) {
        levels_.to[f].row(row_of(index), levels_.width)[cell_of(index)] = value(task_.count, f, index);
      }
    }
  }

 private:
  /// The cells from which the wanted ones are made in so many levels, without those outside the grid.
  __device__ PatchBox before(i64 levels) const {
    PatchBox box = target_;
    for (i32 axis = 0; axis < most_rank; ++axis) {
      const AxisFaces<T>& faces = levels_.axes[axis];
      box.begin[axis] -= levels * faces.reach;
      box.end[axis] += levels * faces.reach;
      if (faces.low == Face::periodic) continue;
      if (box.begin[axis] < 0) box.begin[axis] = 0;
      if (box.end[axis] > faces.extent) box.end[axis] = faces.extent;
    }
    return box;
  }

  /// The row as the block's rows are counted: slabs of a periodic axis have those beyond the ends.
  __device__ __forceinline__ i64 row_of(const i64 (&index)[most_rank]) const {
    return levels_.continues != 0 ? index[0] : index_in(index[0], levels_.axes[0].extent);
  }
  /// The number of a cell in its row.
  __device__ __forceinline__ i64 cell_of(const i64 (&index)[most_rank]) const {
    return index_in(index[1], levels_.axes[1].extent) * levels_.axes[2].extent +
           index_in(index[2], levels_.axes[2].extent);
  }
  __device__ __forceinline__ ArraysAt<T> arrays_at(const i64 (&index)[most_rank]) const {
    return {block_, row_of(index), levels_.width, cell_of(index)};
  }
  __device__ __forceinline__ bool is_masked(const i64 (&index)[most_rank]) const {
    return levels_.additions.mask >= 0 && arrays_at(index).array(levels_.additions.mask) != T(0);
  }

  __device__ void load() {
    for (i64 n = threadIdx.x; n < cells_; n += blockDim.x) {
      i64 index[most_rank];
      box_.find(n, index);
      for (i32 f = 0; f < F::fields; ++f) {
        values_[0][f * cells_ + n] = levels_.from[f].row(row_of(index), levels_.width)[cell_of(index)];
      }
    }
  }

  /// Makes a cell of a level from the level before.
  __device__ void make_cell(i64 level, const i64 (&index)[most_rank]) {
    const i64 place = box_.place(index);
    const T* centre = values_[(level - 1) % 2] + place;
    T made[F::fields];
    const bool changes = !is_masked(index) && make_changed(level, index, centre, made);
    for (i32 f = 0; f < F::fields; ++f) {
      values_[level % 2][f * cells_ + place] = changes ? made[f] : centre[f * cells_];
    }
  }

  /// @return false if a face keeps the cell's values
  __device__ bool make_changed(i64 level, const i64 (&index)[most_rank], const T* centre,
                               T (&made)[F::fields]) const {
    bool inside = true;
    for (i32 axis = 0; axis < most_rank; ++axis) {
      inside &= levels_.axes[axis].low == Face::periodic || is_inside(levels_.axes[axis], index[axis]);
    }
    PatchFacesAt<F, T> at{{arrays_at(index),
                           levels_,
                           {},
                           levels_.step + level - 1,
                           centre,
                           cells_,
                           box_.extent(1) * box_.extent(2),
                           box_.extent(2)}};
    for (i32 axis = 0; axis < most_rank; ++axis) at.indices[axis] = index_in(index[axis], at.extent(axis));
    if (inside) {
      const PatchAt<F, T>& near = at;
      F::template cell<T>(levels_.constants, near, made);
      add_source(levels_.additions, near, made);
      return true;
    }
    const Position position{
        {at.indices[0], at.indices[1], at.indices[2]}, {at.extent(0), at.extent(1), at.extent(2)}, at.step()};
    if constexpr (F::own_faces) {
      F::rim_cell(levels_.constants, at, position, made);
    } else {
      if (is_kept(levels_, position)) return false;
      F::template cell<T>(levels_.constants, at, made);
    }
    add_source(levels_.additions, at, made);
    return true;
  }

  /// Adds the values of all sources of the cells of a level. A thread takes all sources of a cell.
  __device__ void add_sources(i64 level, const PatchBox& cells) {
    const PointLists<T>& points = task_.points;
    for (i64 n = threadIdx.x; n < points.source_count; n += blockDim.x) {
      const PointPlace& source = points.sources[n];
      if (n > 0 && is_same_cell(points.sources[n - 1], source)) continue;
      for_each_image(source.index, cells, [&](const i64(&index)[most_rank]) {
        if (is_masked(index)) return;
        for (i64 m = n; m < points.source_count && is_same_cell(points.sources[m], source); ++m) {
          const PointPlace& one = points.sources[m];
          T& value = values_[level % 2][one.field * cells_ + box_.place(index)];
          value = plus(value, points.values[one.first + levels_.step + level - 1]);
        }
      });
    }
  }
  static __device__ __forceinline__ bool is_same_cell(const PointPlace& a, const PointPlace& b) {
    return a.index[0] == b.index[0] && a.index[1] == b.index[1] && a.index[2] == b.index[2];
  }

  /// Calls visit(index) for the places among `cells` that stand for a cell of the grid: along periodic axes there may
  /// be several.
  template <class Visit>
  __device__ void for_each_image(const i64 (&cell)[most_rank], const PatchBox& cells, const Visit& visit) const {
    i64 first[most_rank], apart[most_rank];
    for (i32 axis = 0; axis < most_rank; ++axis) {
      const AxisFaces<T>& faces = levels_.axes[axis];
      first[axis] = cell[axis];
      apart[axis] = faces.extent;
      if (faces.low != Face::periodic) {
        if (cell[axis] < cells.begin[axis] || cell[axis] >= cells.end[axis]) return;
        apart[axis] = cells.extent(axis);  // no second one
      } else {
        first[axis] = cells.begin[axis] + wrapped_row(cell[axis] - cells.begin[axis], faces.extent);
      }
    }
    i64 index[most_rank];
    for (index[0] = first[0]; index[0] < cells.end[0]; index[0] += apart[0]) {
      for (index[1] = first[1]; index[1] < cells.end[1]; index[1] += apart[1]) {
        for (index[2] = first[2]; index[2] < cells.end[2]; index[2] += apart[2]) visit(index);
      }
    }
  }

  const PointsTask<F, T>& task_;
  const StepTask<F, T>& levels_;
  const StencilTask& block_;
  PatchBox target_, box_;
  i64 cells_;
  T* values_[2];  // levels in turn, fields one after another
};

/// Makes the cells that a source changes again. @param row of the source, of a periodic axis perhaps beyond the ends
template <class F, class T>
__device__ void make_source(const PointsTask<F, T>& task, const StencilTask& block, T* values,
                            const PointPlace& source, i64 row) {
  PatchBox target;
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
  if (target.cells() == 0) return;
  Patch<F, T> patch(task, block, values, target);
  patch.make([](i64) {});
  patch.write();
  __syncthreads();  // before the room is used again
}

/// Makes the cells around a source, wherever the rows that are written depend on it.
template <class F, class T>
__device__ void make_images(const PointsTask<F, T>& task, const StencilTask& block, T* values,
                            const PointPlace& source) {
  const AxisFaces<T>& rows = task.levels.axes[0];
  if (rows.low != Face::periodic || task.levels.continues == 0) {
    make_source(task, block, values, source, source.index[0]);
    return;
  }
  const i64 reach = (task.count - 1) * rows.reach, begin = task.levels.rows.begin - reach;
  const i64 first = begin + wrapped_row(source.index[0] - begin, rows.extent);
  for (i64 row = first; row < task.levels.rows.end + reach; row += rows.extent) {
    make_source(task, block, values, source, row);
  }
}

/// Records the values of a receiver whose row the launch makes.
template <class F, class T>
__device__ void record_receiver(const PointsTask<F, T>& task, const StencilTask& block, T* values, i64 number) {
  const PointLists<T>& points = task.points;
  const PointPlace& receiver = points.receivers[number];
  const i64 row = receiver.index[0];
  if (row < task.levels.rows.begin || row >= task.levels.rows.end || row < block.part_begin ||
      row >= block.part_end) {
    return;
  }
  PatchBox target;
  for (i32 axis = 0; axis < most_rank; ++axis) {
    target.begin[axis] = receiver.index[axis];
    target.end[axis] = receiver.index[axis] + 1;
  }
  Patch<F, T> patch(task, block, values, target);
  patch.make([&](i64 level) {
    const i64 made = task.levels.step + level;
    if (threadIdx.x != 0 || made % points.every != 0) return;
    const i64 time = made / points.every - block.step / points.every - 1;
    static_cast<T*>(block.traces)[time * points.receiver_count + number] =
        patch.value(level, receiver.field, receiver.index);
  });
  __syncthreads();  // before the room is used again
}

/// Thread blocks take points in turn: the cells of sources, then receivers. With half of the registers, for two
/// thread blocks a multiprocessor, values of a thread would not fit into them.
template <class F, class T>
__global__ void __launch_bounds__(patch_threads, 1)
    make_points_kernel(const StencilState* state, const __grid_constant__ PointsTask<F, T> task) {
  if (state->begun == 0) return;
  const PointLists<T>& points = task.points;
  T* values = points.patches + i64{blockIdx.x} * task.patch_values;
  for (i64 n = blockIdx.x; n < points.source_count + points.receiver_count; n += gridDim.x) {
    if (n >= points.source_count) {
      record_receiver(task, state->task, values, n - points.source_count);
      continue;
    }
    const PointPlace& source = points.sources[n];
    const bool again = n > 0 && points.sources[n - 1].index[0] == source.index[0] &&
                       points.sources[n - 1].index[1] == source.index[1] &&
                       points.sources[n - 1].index[2] == source.index[2];
    if (!again) make_images(task, state->task, values, source);
  }
}

}  // namespace terrace::stencil
