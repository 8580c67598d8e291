// A thread block makes the cells around a point again: a *patch* of them, level by level.
//
// A patch is a box of cells. Along a periodic axis it may go on beyond the ends of the grid, or around it; elsewhere
// it is cut at them, and has beyond them the values that cells read there, made anew with each level: so all its
// cells are made in the same way, but for those of operators that say themselves what happens at faces. Cells that a
// face keeps are in both levels from the beginning.
#pragma once

#include "kernels/stencil/cuda/points/boxes.cuh"
#include "kernels/stencil/cuda/points/patch_at.cuh"
#include "kernels/stencil/cuda/points/patch_task.cuh"

namespace terrace::stencil {

/// A thread block makes the cells around a point again.
template <class F, class T>
class Patch {
  static_assert(sizeof(PatchRest<T>) <= patch_shared_rest);

 public:
  /// @param target cells of the last level that are wanted
  __device__ __forceinline__ Patch(const PointsTask<F, T>& task, const StencilTask& block, PatchRest<T>& rest,
                                   const GridBox& target)
      : task_(task), levels_(task.levels), block_(block), rest_(rest), near_(rest.sources) {
    for (i32 axis = 0; axis < most_rank; ++axis) {
      const AxisFaces<T>& faces = levels_.axes[axis];
      const bool is_endless = faces.low == Face::periodic;
      origin_[axis] = target.begin[axis] - task.count * faces.reach;
      if (!is_endless && origin_[axis] < -faces.reach) origin_[axis] = -faces.reach;
      target_.begin[axis] = static_cast<i32>(target.begin[axis] - origin_[axis]);
      target_.end[axis] = static_cast<i32>(target.end[axis] - origin_[axis]);
      const i64 beyond = faces.extent - origin_[axis];
      grid_.begin[axis] = is_endless || origin_[axis] > far ? -far : static_cast<i32>(-origin_[axis]);
      grid_.end[axis] = is_endless || beyond > far ? far : static_cast<i32>(beyond);
    }
  }

  /// Makes all levels, and records a receiver's values.
  __device__ __forceinline__ void make(Trace<T> trace) {
    const PatchBox all = before(task_.count);
    const bool keeps = !F::own_faces && !is_same_box(before(task_.count - 1), inside(before(task_.count - 1)));
    load(all, keeps);
    cut_levels();
    find_sources(all);
    wait_for_values();
    __syncthreads();
    const bool has_beyond = !is_same_box(with_beyond(task_.count), all);
    Beyond own{};
    if (has_beyond) {
      own = beyond(static_cast<i32>(threadIdx.x));
      make_beyond(own, values(0));
      __syncthreads();
    }
    const i32 sources = static_cast<i32>(near_.count);
    const bool is_recorder = trace.to != nullptr && threadIdx.x == 0;
    const T* recorded = nullptr;
    if (is_recorder) recorded = values_of_block() + trace.place.field * task_.shape.field + offset_of(trace.place);
#pragma unroll 1
    for (i32 level = 1; level <= task_.count; ++level) {
      make_level(level);
      __syncthreads();
      if (sources > 0) {
        add_sources(level);
        __syncthreads();
      }
      if (has_beyond && level < task_.count) {
        make_beyond(own, values(level));
        __syncthreads();
      }
      if (is_recorder && ++trace.steps == trace.every) {
        *trace.to = recorded[(level & 1) * task_.shape.level];
        trace.to += trace.receivers;
        trace.steps = 0;
      }
    }
  }

  /// Writes the wanted cells.
  __device__ __forceinline__ void write() const {
    const T* made = values(task_.count);
    for_each_line(target_, [&](const i32(&index)[most_rank], i32 lanes) {
      const Line line = line_of(index);
      T* rows[F::fields];
      for (i32 f = 0; f < F::fields; ++f) rows[f] = levels_.to[f].row(line.row, levels_.width) + line.first;
      const i32 offset = offset_of(index);
      for (i32 n = 0; index[2] + n < target_.end[2]; n += lanes) {
        const i64 cell = index_in(line.last + n, levels_.axes[2].extent);
        for (i32 f = 0; f < F::fields; ++f) rows[f][cell] = made[f * task_.shape.field + offset + n];
      }
    });
  }

 private:
  /// A value beyond a face: a copy of a cell of the patch, or a value.
  struct Beyond {
    i32 to = -1, from = -1;  // offsets in a level; to < 0: none, from < 0: the value
    T value{};
  };
  /// The place of a cell in the grid: its row, of the row the first value of its line, its place along the line.
  struct Line {
    i64 row, first, last;
  };
  /// More than a patch has along an axis.
  static constexpr i32 far = 1 << 24;

  /// The cells from which the wanted ones are made in so many levels, without those outside the grid.
  __device__ __forceinline__ PatchBox before(i32 levels) const { return cut(levels, 0, 0); }
  /// The same with those beyond faces of which values are read.
  __device__ __forceinline__ PatchBox with_beyond(i32 levels) const {
    return F::own_faces ? before(levels) : cut(levels, 1, 1);
  }
  __device__ __forceinline__ PatchBox cut(i32 levels, i32 low, i32 high) const {
    PatchBox box = target_;
    for (i32 axis = 0; axis < most_rank; ++axis) {
      const AxisFaces<T>& faces = levels_.axes[axis];
      const i32 reach = static_cast<i32>(faces.reach);
      const i32 begin = grid_.begin[axis] - (faces.low == Face::fixed ? 0 : low * reach),
                end = grid_.end[axis] + (faces.high == Face::fixed ? 0 : high * reach);
      box.begin[axis] -= levels * reach;
      box.end[axis] += levels * reach;
      if (box.begin[axis] < begin) box.begin[axis] = begin;
      if (box.end[axis] > end) box.end[axis] = end;
    }
    return box;
  }

  /// The cells of a box that are made side by side: without those that a face keeps, or those whose neighbours are
  /// not all in the grid, if the operator itself says what they become.
  __device__ __forceinline__ PatchBox inside(const PatchBox& cells) const {
    PatchBox box = cells;
    for (i32 axis = 0; axis < most_rank; ++axis) {
      const AxisFaces<T>& faces = levels_.axes[axis];
      const i32 reach = static_cast<i32>(faces.reach), begin = grid_.begin[axis] + reach,
                end = grid_.end[axis] - reach;
      const bool cuts_low = F::own_faces || faces.low == Face::fixed,
                 cuts_high = F::own_faces || faces.high == Face::fixed;
      if (cuts_low && box.begin[axis] < begin) box.begin[axis] = begin < cells.end[axis] ? begin : cells.end[axis];
      if (cuts_high && box.end[axis] > end) box.end[axis] = end > box.begin[axis] ? end : box.begin[axis];
    }
    return box;
  }

  __device__ __forceinline__ i32 offset_of(const i32 (&index)[most_rank]) const {
    return index[0] * task_.shape.plane + index[1] * task_.shape.line + index[2];
  }
  __device__ __forceinline__ i32 offset_of(const PointPlace& point) const {
    i32 index[most_rank];
    for (i32 axis = 0; axis < most_rank; ++axis) index[axis] = static_cast<i32>(point.index[axis] - origin_[axis]);
    return offset_of(index);
  }
  /// The place in the grid, along periodic axes perhaps beyond the ends.
  __device__ __forceinline__ void place_of(const i32 (&index)[most_rank], i64 (&place)[most_rank]) const {
    for (i32 axis = 0; axis < most_rank; ++axis) place[axis] = origin_[axis] + index[axis];
  }

  __device__ __forceinline__ Line line_of(const i32 (&index)[most_rank]) const {
    i64 place[most_rank];
    place_of(index, place);
    const i64 middle = index_in(place[1], levels_.axes[1].extent);
    return {row_of(levels_, place), middle * levels_.axes[2].extent, place[2]};
  }

  /// The values of the thread block, in memory that the compiler knows.
  template <bool in_shared>
  __device__ __forceinline__ T* values_in() const {
    if constexpr (in_shared) return reinterpret_cast<T*>(device::launch_shared_memory());
    else return task_.points.patches + i64{blockIdx.x} * task_.shape.values;
  }
  __device__ __forceinline__ T* values_of_block() const {
    return task_.in_shared != 0 ? values_in<true>() : values_in<false>();
  }
  /// The values of a level: levels in turn.
  __device__ __forceinline__ T* values(i32 level) const {
    return values_of_block() + (level & 1) * task_.shape.level;
  }

  /// Begins to load the level before the launch. @param twice in the memory of both levels
  __device__ __forceinline__ void load(const PatchBox& cells, bool twice) const {
    if (task_.in_shared != 0) load_into<true>(cells, twice);
    else load_into<false>(cells, twice);
  }
  template <bool in_shared>
  __device__ __forceinline__ void load_into(const PatchBox& cells, bool twice) const {
    T* loaded = values_in<in_shared>();
    for_each_line(cells, [&](const i32(&index)[most_rank], i32 lanes) {
      const Line line = line_of(index);
      const i32 end = cells.end[2] - index[2];
      const T* rows[F::fields];
      for (i32 f = 0; f < F::fields; ++f) rows[f] = levels_.from[f].row(line.row, levels_.width) + line.first;
      T* to = loaded + offset_of(index);
      for (i32 n = 0; n < end; n += lanes) {
        const i64 cell = index_in(line.last + n, levels_.axes[2].extent);
        for (i32 f = 0; f < F::fields; ++f) {
          load_value<in_shared>(to + (f * task_.shape.field + n), rows[f] + cell);
          if (twice) load_value<in_shared>(to + (task_.shape.level + f * task_.shape.field + n), rows[f] + cell);
        }
      }
      for (i32 a = 0; a < task_.shape.arrays; ++a) {
        const T* row = block_.arrays[a].template row<T>(line.row, levels_.width) + line.first;
        for (i32 n = 0; n < end; n += lanes) {
          const i64 cell = index_in(line.last + n, levels_.axes[2].extent);
          load_value<in_shared>(to + (2 * task_.shape.level + a * task_.shape.field + n), row + cell);
        }
      }
    });
    if constexpr (in_shared) device::commit_copies();
  }
  template <bool in_shared>
  static __device__ __forceinline__ void load_value(T* to, const T* from) {
    if constexpr (in_shared) device::begin_small_copy(to, from);
    else *to = *from;
  }
  __device__ __forceinline__ void wait_for_values() const {
    if (task_.in_shared != 0) device::wait_for_copies<0>();
  }

  /// Says which cells of each level are made side by side.
  __device__ __forceinline__ void cut_levels() {
    for (i32 level = static_cast<i32>(threadIdx.x) + 1; level <= task_.count; level += static_cast<i32>(blockDim.x)) {
      const PatchBox cells = inside(before(task_.count - level));
      LevelCells& made = rest_.levels[level];
      made.offset = offset_of(cells.begin);
      made.width = cells.extent(2);
      made.middles = cells.extent(1);
      made.planes = cells.extent(0);
      made.groups = (made.planes + LineCells<T>::count - 1) / LineCells<T>::count;
      made.bits = LineGroups::bits_for(made.width);
      made.first_row = cells.begin[0];
      made.first_middle = cells.begin[1];
      made.first_last = cells.begin[2];
    }
  }
  /// Makes the cells of a level from the level before.
  __device__ __forceinline__ void make_level(i32 level) const {
    if (task_.in_shared != 0 && task_.shape.arrays == 0) make_inside<true>(values_in<true>(), level);
    else make_inside<false>(values_of_block(), level);
    if constexpr (F::own_faces) make_rim(level);
  }
  /// @tparam is_plain true: without constant arrays
  template <bool is_plain>
  __device__ __forceinline__ void make_inside(T* values, i32 level) const {
    const PatchShape& shape = task_.shape;
    const LevelCells& cells = rest_.levels[level];
    const i32 width = cells.width, middles = cells.middles, lines = cells.groups * middles, planes = cells.planes;
    if (lines == 0) return;
    const LineGroups threads(cells.bits);
    const T* from = values + (((level & 1) ^ 1) * shape.level + cells.offset);
    T* to = values + ((level & 1) * shape.level + cells.offset);
    i32 line = threads.group, cell = threads.lane;
#pragma unroll 1
    for (;; line += threads.groups) {
      for (; line >= lines && cell < width; line -= lines) cell += threads.lanes;
      if (cell >= width) break;
      const i32 group = middles == 1 ? line : line / middles, middle = line - group * middles;
      const i32 first = group * LineCells<T>::count, left = planes - first;
      const i32 offset = first * shape.plane + middle * shape.line + cell;
      const PatchCells<F, T, !is_plain> near{
          levels_,
          from + offset,
          values + (2 * shape.level + cells.offset + offset),
          shape.field,
          shape.plane,
          shape.line,
          {origin_[0] + (cells.first_row + first), origin_[1] + (cells.first_middle + middle),
           origin_[2] + (cells.first_last + cell)},
          levels_.step + (level - 1)};
      make_cells<is_plain>(near, to + offset, left);
    }
  }
  /// Makes the cells of a thread. @param count of them, perhaps more than it makes
  template <bool is_plain>
  __device__ __forceinline__ void make_cells(const PatchCells<F, T, !is_plain>& near, T* to, i32 count) const {
    using Cells = LineCells<T>;
    Cells made[F::fields];
    F::template cell<Cells>(levels_.constants, near, made);
    if constexpr (!is_plain) add_source(levels_.additions, near, made);
    if (!is_plain && levels_.additions.mask >= 0) {
      const Cells mask = near.array(levels_.additions.mask);
#pragma unroll
      for (i32 f = 0; f < F::fields; ++f) {
        const Cells before = near(f, 0, 0, 0);
#pragma unroll
        for (i32 n = 0; n < Cells::count; ++n) made[f].v[n] = mask.v[n] == T(0) ? made[f].v[n] : before.v[n];
      }
    }
#pragma unroll
    for (i32 n = 0; n < Cells::count; ++n) {
      if (n >= count) break;
#pragma unroll
      for (i32 f = 0; f < F::fields; ++f) to[f * task_.shape.field + n * task_.shape.plane] = made[f].v[n];
    }
  }

  /// Makes the cells of a level at the grid's rim, of operators that say themselves what they become.
  __device__ __forceinline__ void make_rim(i32 level) const {
    const PatchBox cells = before(task_.count - level), inner = inside(cells);
    if (is_same_box(cells, inner)) return;
    const PatchShape& shape = task_.shape;
    i32 index[most_rank];
    for (i32 n = static_cast<i32>(threadIdx.x); find_around(cells, inner, n, index);
         n += static_cast<i32>(blockDim.x)) {
      i64 place[most_rank];
      place_of(index, place);
      make_at_rim(PatchRimAt<F, T>{levels_,
                                   values(level - 1) + offset_of(index),
                                   values_of_block() + (2 * shape.level + offset_of(index)),
                                   shape.field,
                                   shape.plane,
                                   shape.line,
                                   {place[0], place[1], place[2]},
                                   levels_.step + level - 1},
                  values(level) + offset_of(index));
    }
  }

  /// The value number n of those beyond faces.
  __device__ __forceinline__ Beyond beyond(i32 n) const {
    Beyond found{};
    i32 index[most_rank];
    if (!find_around(with_beyond(task_.count), before(task_.count), n, index)) return found;
    found.to = offset_of(index);
    for (i32 axis = 0; axis < most_rank; ++axis) {
      const AxisFaces<T>& faces = levels_.axes[axis];
      if (faces.low == Face::periodic) continue;
      const i64 at = mapped_index(origin_[axis] + index[axis], faces.extent, faces.low, faces.high);
      if (at < 0) {
        found.value = at == low_outside ? faces.low_value : faces.high_value;
        return found;
      }
      index[axis] = static_cast<i32>(at - origin_[axis]);
    }
    found.from = offset_of(index);
    return found;
  }
  /// Makes the values beyond faces of a level. @param own the thread's first one
  __device__ __forceinline__ void make_beyond(const Beyond& own, T* level) const {
    Beyond one = own;
    for (i32 n = static_cast<i32>(threadIdx.x + blockDim.x); one.to >= 0; n += static_cast<i32>(blockDim.x)) {
      for (i32 f = 0; f < F::fields; ++f) {
        T* field = level + f * task_.shape.field;
        field[one.to] = one.from < 0 ? one.value : field[one.from];
      }
      one = beyond(n);
    }
  }

  /// Finds the sources in the patch, and their values. All threads call it, after a barrier.
  __device__ __forceinline__ void find_sources(const PatchBox& all) {
    using Near = NearSources<T>;
    const PointLists<T>& points = task_.points;
    if (threadIdx.x == 0) near_.count = 0;
    __syncthreads();
    for (i64 n = threadIdx.x; n < points.source_count; n += blockDim.x) {
      for_each_image(points.sources[n].index, all, [&](const i32(&index)[most_rank]) {
        if (last_level(index) < 1 || is_masked(index)) return;
        const u32 place = atomicAdd(&near_.count, u32{1});
        if (place < Near::most) near_.key[place] = static_cast<u64>(offset_of(index)) << Near::source_bits | n;
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
      near_.last_level[place] = last_level_at(cell);
    }
    __syncthreads();
    for (i32 n = threadIdx.x; n < count * task_.count; n += blockDim.x) {
      const i32 source = n / task_.count, level = n % task_.count;
      near_.values[source][level] = points.values[near_.first[source] + levels_.step + level];
    }
  }
  __device__ bool is_masked(const i32 (&index)[most_rank]) const {
    if (levels_.additions.mask < 0) return false;
    i64 place[most_rank];
    place_of(index, place);
    const T* mask = block_.arrays[levels_.additions.mask].template row<T>(row_of(levels_, place), levels_.width);
    return mask[cell_of(levels_, place)] != T(0);
  }
  __device__ i32 last_level_at(i32 offset) const {
    const i32 plane = offset / task_.shape.plane, rest = offset % task_.shape.plane;
    return last_level({plane, rest / task_.shape.line, rest % task_.shape.line});
  }
  /// The last level at which a cell is made.
  __device__ i32 last_level(const i32 (&index)[most_rank]) const {
    i32 last = task_.count;
    for (i32 axis = 0; axis < most_rank; ++axis) {
      const i32 below = target_.begin[axis] - index[axis], above = index[axis] - (target_.end[axis] - 1);
      const i32 away = below > above ? below : above, reach = static_cast<i32>(levels_.axes[axis].reach);
      if (away <= 0 || reach == 0) continue;
      const i32 own = task_.count - (away + reach - 1) / reach;
      if (own < last) last = own;
    }
    return last;
  }

  /// Adds the values of the sources of the cells of a level. A thread takes all sources of a cell.
  __device__ __forceinline__ void add_sources(i32 level) const {
    T* made = values(level);
    const i32 count = static_cast<i32>(near_.count);
    if (count > NearSources<T>::most) return add_far_sources(level);
    for (i32 n = threadIdx.x; n < count; n += blockDim.x) {
      const i32 cell = near_.cell[n];
      if (near_.last_level[n] < level || (n > 0 && near_.cell[n - 1] == cell)) continue;
      for (i32 m = n; m < count && near_.cell[m] == cell; ++m) {
        T& value = made[near_.field[m] * task_.shape.field + cell];
        value = plus(value, near_.values[m][level - 1]);
      }
    }
  }
  /// The same by a look at all sources.
  __device__ void add_far_sources(i32 level) const {
    const PointLists<T>& points = task_.points;
    const PatchBox cells = before(task_.count - level);
    for (i64 n = threadIdx.x; n < points.source_count; n += blockDim.x) {
      const PointPlace& source = points.sources[n];
      if (n > 0 && is_same_cell(points.sources[n - 1], source)) continue;
      for_each_image(source.index, cells, [&](const i32(&index)[most_rank]) {
        if (is_masked(index)) return;
        for (i64 m = n; m < points.source_count && is_same_cell(points.sources[m], source); ++m) {
          const PointPlace& one = points.sources[m];
          T& value = values(level)[one.field * task_.shape.field + offset_of(index)];
          value = plus(value, points.values[one.first + levels_.step + level - 1]);
        }
      });
    }
  }

  /// Calls visit(index) for the places among `cells` that stand for a cell of the grid: along periodic axes there may
  /// be several.
  template <class Visit>
  __device__ void for_each_image(const i64 (&cell)[most_rank], const PatchBox& cells, const Visit& visit) const {
    i32 first[most_rank], apart[most_rank];
    for (i32 axis = 0; axis < most_rank; ++axis) {
      const AxisFaces<T>& faces = levels_.axes[axis];
      i64 away = cell[axis] - origin_[axis] - cells.begin[axis];
      if (faces.low == Face::periodic) away = wrapped_row(away, faces.extent);
      if (away < 0 || away >= cells.extent(axis)) return;
      first[axis] = cells.begin[axis] + static_cast<i32>(away);
      const bool is_once = faces.low != Face::periodic || faces.extent > cells.extent(axis);
      apart[axis] = is_once ? cells.extent(axis) : static_cast<i32>(faces.extent);
    }
    i32 index[most_rank];
    for (index[0] = first[0]; index[0] < cells.end[0]; index[0] += apart[0]) {
      for (index[1] = first[1]; index[1] < cells.end[1]; index[1] += apart[1]) {
        for (index[2] = first[2]; index[2] < cells.end[2]; index[2] += apart[2]) visit(index);
      }
    }
  }

  const PointsTask<F, T>& task_;
  const StepTask<F, T>& levels_;
  const StencilTask& block_;
  PatchRest<T>& rest_;
  NearSources<T>& near_;
  i64 origin_[most_rank];   // place of the patch's first cell
  PatchBox target_, grid_;  // the wanted cells; the whole grid, or much of it
};

}  // namespace terrace::stencil
