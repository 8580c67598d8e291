// The points of a stencil after a launch that made some levels at once: sources and receivers (points.hpp).
//
// A launch makes levels from one memory into another one, so the level before it is still there. A source changes the
// cells within radius * (levels - 1) of its own at the last level, a receiver has a value of each level; both depend
// on the cells of the level before within radius * levels of them. So a thread block makes these cells again from
// there, level by level, adds the values of all sources among them after each level, and writes those that the source
// changes, or records the receiver. Where cells of two sources overlap, both write the same bits.
//
// Cells that are made again lie in a box around the point, a *patch*. Along a periodic axis it may go on beyond the
// ends of the grid, or around it; elsewhere it is cut at them. Patches that fit are in shared memory (room.hpp).
#pragma once

#include "kernels/stencil/cuda/points/boxes.cuh"
#include "kernels/stencil/cuda/points/lists.hpp"
#include "kernels/stencil/cuda/points/patch_at.cuh"

namespace terrace::stencil {

/// The most threads of a thread block. Not measured.
inline constexpr i32 patch_threads = 512;

/// The points of a launch.
template <class F, class T>
struct PointsTask {
  StepTask<F, T> levels;  // `from` the level before the launch, `to` the last one, of which `rows` are written
  i64 count;              // levels
  PointLists<T> points;
  i64 patch_values;  // room of a thread block for two patches of each field: in `points.patches`, or
  i32 in_shared;     // not 0: in shared memory
};

__device__ __forceinline__ bool is_same_cell(const PointPlace& a, const PointPlace& b) {
  return a.index[0] == b.index[0] && a.index[1] == b.index[1] && a.index[2] == b.index[2];
}

/// The sources in a patch, with their values of all levels: in shared memory.
template <class T>
struct NearSources {
  static constexpr i32 most = 32;  // a patch with more looks for them after each level
  static constexpr i32 source_bits = 40;

  u32 count;      // also of those that have no room here
  u64 key[most];  // cell of the patch, and number of the source, in the order in which they are found
  // In the order of cells, and those of a cell in the order in which they are added:
  i32 cell[most], field[most], last_level[most];  // the last level at which the cell is made
  i64 first[most];
  T values[most][most_steps_at_once];
};

/// A thread block makes the cells around a point again.
template <class F, class T>
class Patch {
  static_assert(sizeof(NearSources<T>) <= patch_shared_rest);

 public:
  /// @param target cells of the last level that are wanted
  __device__ Patch(const PointsTask<F, T>& task, const StencilTask& block, T* values, NearSources<T>& near,
                   const PatchBox& target)
      : task_(task),
        levels_(task.levels),
        block_(block),
        near_(near),
        target_(target),
        box_(before(task.count)),
        values_(values) {
    line_ = static_cast<i32>(box_.extent(2));
    plane_ = line_ * static_cast<i32>(box_.extent(1));
    cells_ = plane_ * static_cast<i32>(box_.extent(0));
  }

  /// Makes all levels, and calls after_level(level) after each, when its values are there, in all threads.
  template <class AfterLevel>
  __device__ void make(const AfterLevel& after_level) {
    find_sources();
    load();
    __syncthreads();
    for (i64 level = 1; level <= task_.count; ++level) {
      const PatchBox cells = before(task_.count - level), inner = inside(cells);
      for_each_cell(inner, box_, [&](const i64(&index)[most_rank], i32 cell) { make_inside(level, index, cell); });
      for_each_cell_around(cells, inner, box_, [&](const i64(&index)[most_rank], i32 cell) {
        make_at_rim(at(level - 1, index, cell), values(level) + cell);
      });
      __syncthreads();
      if (near_.count > 0) {
        add_sources(level, cells);
        __syncthreads();
      }
      after_level(level);
    }
  }

  /// The value of a cell of the patch at a level, the last one that is made.
  __device__ T value(i64 level, i32 field, const i64 (&index)[most_rank]) const {
    return values(level)[field * cells_ + cell_at(index)];
  }

  /// Writes the wanted cells.
  __device__ void write() const {
    const T* made = values(task_.count);
    for_each_cell(target_, box_, [&](const i64(&index)[most_rank], i32 cell) {
      for (i32 f = 0; f < F::fields; ++f) {
        levels_.to[f].row(row_of(levels_, index), levels_.width)[cell_of(levels_, index)] = made[f * cells_ + cell];
      }
    });
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

  /// The cells of a box whose neighbours are all in the grid.
  __device__ PatchBox inside(const PatchBox& cells) const {
    PatchBox box = cells;
    for (i32 axis = 0; axis < most_rank; ++axis) {
      const AxisFaces<T>& faces = levels_.axes[axis];
      if (faces.low == Face::periodic) continue;
      const i64 begin = faces.reach, end = faces.extent - faces.reach;
      if (box.begin[axis] < begin) box.begin[axis] = begin < cells.end[axis] ? begin : cells.end[axis];
      if (box.end[axis] > end) box.end[axis] = end > box.begin[axis] ? end : box.begin[axis];
    }
    return box;
  }

  __device__ __forceinline__ i32 cell_at(const i64 (&index)[most_rank]) const {
    return static_cast<i32>(index[0] - box_.begin[0]) * plane_ + static_cast<i32>(index[1] - box_.begin[1]) * line_ +
           static_cast<i32>(index[2] - box_.begin[2]);
  }
  /// Levels in turn, fields one after another.
  __device__ __forceinline__ T* values(i64 level) const { return values_ + (level & 1) * F::fields * cells_; }

  __device__ void load() {
    T* loaded = values(0);
    for_each_cell(box_, box_, [&](const i64(&index)[most_rank], i32 cell) {
      for (i32 f = 0; f < F::fields; ++f) {
        loaded[f * cells_ + cell] =
            levels_.from[f].row(row_of(levels_, index), levels_.width)[cell_of(levels_, index)];
      }
    });
  }

  __device__ __forceinline__ bool is_masked(const i64 (&index)[most_rank]) const {
    return levels_.additions.mask >= 0 && at(0, index, 0).array(levels_.additions.mask) != T(0);
  }
  /// A cell of the level after so many.
  __device__ __forceinline__ PatchFacesAt<F, T> at(i64 levels, const i64 (&index)[most_rank], i32 cell) const {
    return {{levels_,
             block_,
             {index[0], index[1], index[2]},
             levels_.step + levels,
             values(levels) + cell,
             cells_,
             plane_,
             line_}};
  }
  __device__ __forceinline__ void store(i64 level, i32 cell, const T (&made)[F::fields]) const {
    for (i32 f = 0; f < F::fields; ++f) values(level)[f * cells_ + cell] = made[f];
  }
  __device__ __forceinline__ void keep(i64 level, i32 cell) const {
    for (i32 f = 0; f < F::fields; ++f) values(level)[f * cells_ + cell] = values(level - 1)[f * cells_ + cell];
  }

  /// Makes a cell of a level from the level before. Its neighbours are all in the grid.
  __device__ __forceinline__ void make_inside(i64 level, const i64 (&index)[most_rank], i32 cell) const {
    if (is_masked(index)) return keep(level, cell);
    const PatchFacesAt<F, T> any = at(level - 1, index, cell);
    const PatchAt<F, T>& near = any;
    T made[F::fields];
    F::template cell<T>(levels_.constants, near, made);
    add_source(levels_.additions, near, made);
    store(level, cell, made);
  }

  /// Finds the sources in the patch, and their values. All threads call it, after a barrier.
  __device__ void find_sources() {
    using Near = NearSources<T>;
    const PointLists<T>& points = task_.points;
    if (threadIdx.x == 0) near_.count = 0;
    __syncthreads();
    for (i64 n = threadIdx.x; n < points.source_count; n += blockDim.x) {
      for_each_image(points.sources[n].index, box_, [&](const i64(&index)[most_rank]) {
        if (last_level(index) < 1 || is_masked(index)) return;
        const u32 place = atomicAdd(&near_.count, u32{1});
        if (place < Near::most) near_.key[place] = static_cast<u64>(cell_at(index)) << Near::source_bits | n;
      });
    }
    __syncthreads();
    const i32 count = static_cast<i32>(near_.count);
    if (count > Near::most) return;
    for (i32 n = threadIdx.x; n < count; n += blockDim.x) {
      const u64 key = near_.key[n];
      i32 place = 0;
      for (i32 m = 0; m < count; ++m) place += near_.key[m] < key ? 1 : 0;
      const PointPlace& source = points.sources[key & ((u64{1} << Near::source_bits) - 1)];
      const i32 cell = static_cast<i32>(key >> Near::source_bits);
      near_.cell[place] = cell;
      near_.field[place] = source.field;
      near_.first[place] = source.first;
      near_.last_level[place] = static_cast<i32>(last_level(index_of(cell)));
    }
    __syncthreads();
    const i32 levels = static_cast<i32>(task_.count);
    for (i32 n = threadIdx.x; n < count * levels; n += blockDim.x) {
      const i32 source = n / levels, level = n % levels;
      near_.values[source][level] = points.values[near_.first[source] + levels_.step + level];
    }
  }
  struct Index {
    i64 along[most_rank];
  };
  __device__ Index index_of(i32 cell) const {
    return {{box_.begin[0] + cell / plane_, box_.begin[1] + cell % plane_ / line_, box_.begin[2] + cell % line_}};
  }
  __device__ i64 last_level(const Index& index) const { return last_level(index.along); }
  /// The last level at which a cell is made.
  __device__ i64 last_level(const i64 (&index)[most_rank]) const {
    i64 last = task_.count;
    for (i32 axis = 0; axis < most_rank; ++axis) {
      const i64 below = target_.begin[axis] - index[axis], above = index[axis] - (target_.end[axis] - 1);
      const i64 away = below > above ? below : above, reach = levels_.axes[axis].reach;
      if (away <= 0 || reach == 0) continue;
      const i64 own = task_.count - (away + reach - 1) / reach;
      if (own < last) last = own;
    }
    return last;
  }

  /// Adds the values of the sources of the cells of a level. A thread takes all sources of a cell.
  __device__ void add_sources(i64 level, const PatchBox& cells) {
    T* made = values(level);
    const i32 count = static_cast<i32>(near_.count);
    if (count > NearSources<T>::most) return add_far_sources(level, cells);
    for (i32 n = threadIdx.x; n < count; n += blockDim.x) {
      const i32 cell = near_.cell[n];
      if (near_.last_level[n] < level || (n > 0 && near_.cell[n - 1] == cell)) continue;
      for (i32 m = n; m < count && near_.cell[m] == cell; ++m) {
        T& value = made[near_.field[m] * cells_ + cell];
        value = plus(value, near_.values[m][level - 1]);
      }
    }
  }
  /// The same by a look at all sources.
  __device__ void add_far_sources(i64 level, const PatchBox& cells) {
    const PointLists<T>& points = task_.points;
    for (i64 n = threadIdx.x; n < points.source_count; n += blockDim.x) {
      const PointPlace& source = points.sources[n];
      if (n > 0 && is_same_cell(points.sources[n - 1], source)) continue;
      for_each_image(source.index, cells, [&](const i64(&index)[most_rank]) {
        if (is_masked(index)) return;
        for (i64 m = n; m < points.source_count && is_same_cell(points.sources[m], source); ++m) {
          const PointPlace& one = points.sources[m];
          T& value = values(level)[one.field * cells_ + cell_at(index)];
          value = plus(value, points.values[one.first + levels_.step + level - 1]);
        }
      });
    }
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
  NearSources<T>& near_;
  PatchBox target_, box_;
  T* values_;
  i32 cells_, plane_, line_;  // of the patch, of a plane and of a line of it
};

/// Makes the cells that a source changes again. @param row of the source, of a periodic axis perhaps beyond the ends
template <class F, class T>
__device__ void make_source(const PointsTask<F, T>& task, const StencilTask& block, T* values, NearSources<T>& near,
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
  Patch<F, T> patch(task, block, values, near, target);
  patch.make([](i64) {});
  patch.write();
  __syncthreads();  // before the room is used again
}

/// Makes the cells around a source, wherever the rows that are written depend on it.
template <class F, class T>
__device__ void make_images(const PointsTask<F, T>& task, const StencilTask& block, T* values, NearSources<T>& near,
                            const PointPlace& source) {
  const AxisFaces<T>& rows = task.levels.axes[0];
  i64 first = source.index[0], end = first + 1;
  if (rows.low == Face::periodic && task.levels.continues != 0) {
    const i64 reach = (task.count - 1) * rows.reach, begin = task.levels.rows.begin - reach;
    first = begin + wrapped_row(first - begin, rows.extent);
    end = task.levels.rows.end + reach;
  }
  for (i64 row = first; row < end; row += rows.extent) make_source(task, block, values, near, source, row);
}

/// Records the values of a receiver whose row the launch makes.
template <class F, class T>
__device__ void record_receiver(const PointsTask<F, T>& task, const StencilTask& block, T* values,
                                NearSources<T>& near, i64 number) {
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
  Patch<F, T> patch(task, block, values, near, target);
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
  __shared__ NearSources<T> near;
  if (state->begun == 0) return;
  const PointLists<T>& points = task.points;
  T* values = task.in_shared != 0 ? reinterpret_cast<T*>(device::launch_shared_memory())
                                  : points.patches + i64{blockIdx.x} * task.patch_values;
  for (i64 n = blockIdx.x; n < points.source_count + points.receiver_count; n += gridDim.x) {
    if (n >= points.source_count) {
      record_receiver(task, state->task, values, near, n - points.source_count);
    } else if (n == 0 || !is_same_cell(points.sources[n - 1], points.sources[n])) {
      make_images(task, state->task, values, near, points.sources[n]);
    }
  }
}

}  // namespace terrace::stencil
