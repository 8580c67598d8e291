// The borders that a band of a block reads and writes: the recurrence's own, the block's, and those kept inside wide
// blocks.
#pragma once

#include "kernels/values/stored.cuh"
#include "kernels/wavefront/cuda/bands/bands.cuh"
#include "kernels/wavefront/cuda/bands/window.cuh"
#include "kernels/wavefront/problem.hpp"

namespace terrace::wavefront {

/// True if the band is the first one at its piece of the block's column borders.
__device__ inline bool begins_border_piece(const SweepArguments& a, const KernelBand& band) {
  return a.border_bands == 0 ? band.index == 0 : band.index % a.border_bands == 0;
}

/// Place of the row border below the band; null if nobody needs it. @param planes of it
__device__ inline void* border_below(const SweepArguments& a, const KernelBand& band, int planes) {
  const BlockTask& task = band.task;
  if (task.bottom == nullptr || a.border_bands == 0) return band.last ? task.bottom : nullptr;
  const u32 bands = band.index + 1;
  if (bands % a.border_bands != 0 || (band.last && task.row_end == a.rows)) return nullptr;
  const i64 elements = (bands / a.border_bands - 1) * a.border_pieces_across * planes * task.row_border_stride;
  return const_cast<void*>(past(task.bottom, elements, a.border));
}

/// Makes the band's borders from the block's: the row border below it, and column borders shifted such that the rows
/// of the band's piece lie at the index of the same rows of the block. One thread calls it.
template <class P>
__device__ void place_borders(const SweepArguments& a, KernelBand& band) {
  BlockTask& task = band.task;
  task.bottom = border_below(a, band, P::row_planes);
  if (a.border_bands == 0) return;
  const i64 rows = static_cast<i64>(a.border_bands) * a.band_rows;
  const i64 elements = band.index / a.border_bands * (P::column_planes * task.column_border_stride - rows);
  task.left = past(task.left, elements, a.border);
  task.right = const_cast<void*>(past(task.right, elements, a.border));
}

/// The borders of one band. @tparam V the type of its values
template <class P, class V>
class BandBorders {
 public:
  using Constants = typename P::template Constants<V>;
  static constexpr int planes = P::row_planes;

  __device__ BandBorders(const SweepArguments& arguments, const KernelBand& band) : a_(arguments), band_(band) {}

  /// H and E before the block's first column. @param row of the block, from -1 on (H alone)
  template <class Item>
  __device__ V left_h(const Constants& k, i64 row, const Item& item_at) const {
    const BlockTask& task = band_.task;
    if constexpr (has_window<P>) {
      if (task.left && !in_window(window_of<P, V>(k), task.row_begin + row, task.column_begin - 1))
        return V(infinity);
    }
    if (task.left) return load_stored<V>(a_.border, task.left, row + 1);
    if constexpr (has_corner<P, V>) {
      if (task.row_begin + row < 0 && band_.width > 0)
        return P::corner(k, item_at(task.rows, 0), item_at(task.columns, 0));
    }
    return P::template left<V>(k, task.row_begin + row).h;
  }
  __device__ V left_gap(const Constants& k, i64 row) const {
    const BlockTask& task = band_.task;
    if (task.left) return load_stored<V>(a_.border, task.left, task.column_border_stride + row + 1);
    return P::template left<V>(k, task.row_begin + row).gap;
  }

  /// H and F above the block. @param column of the band
  __device__ __forceinline__ void load_top(const Constants& k, i32 column, V (&top)[planes]) const {
    const BlockTask& task = band_.task;
    const Border<V> border = P::template top<V>(k, task.column_begin + column);
    const i64 at = in_row_border(column);
    top[0] = task.top ? load_stored<V>(a_.border, task.top, at) : border.h;
    if constexpr (planes == 2) {
      top[1] = task.top ? load_stored<V>(a_.border, task.top, task.row_border_stride + at) : border.gap;
    }
  }

  /// Writes H and F below the band, if they are a border that somebody needs.
  __device__ __forceinline__ void store_bottom(i32 column, const V (&values)[planes]) const {
    const i64 to = in_row_border(column);
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) {
      store_stored(a_.border, band_.task.bottom, plane * band_.task.row_border_stride + to, values[plane]);
    }
  }

  /// The column among [first, end) of the band whose border is kept inside the block; -1: none. @param end at most
  /// border_columns more than `first`
  __device__ __forceinline__ i32 kept_column(i32 first, i32 end) const {
    if (a_.border_columns == 0 || !band_.task.right) return -1;
    const i32 over = (band_.start + end) % a_.border_columns, column = end - over - 1;
    const bool passed = column >= first && column >= 0;
    return passed && band_.task.column_begin + column + 1 < a_.columns ? column : -1;
  }

  /// Stores of a column, in border `border` of the borders that the block writes: H of a row of the band, E after it;
  /// and before the first row H of the corner, which the first band of each of the border's pieces knows.
  __device__ __forceinline__ void store_right_h(i64 border, i32 row, V h) const {
    store_stored(a_.border, band_.task.right, right_at(border, row), h);
  }
  __device__ __forceinline__ void store_right_gap(i64 border, i32 row, V e) const {
    store_stored(a_.border, band_.task.right, band_.task.column_border_stride + right_at(border, row), e);
  }
  /// Calls call(h, gaps) with where H and E of a row of the band go and the following rows' after them, as pointers
  /// to integers of the border's type: for many rows at a time.
  template <class Call>
  __device__ __forceinline__ void with_right(i64 border, i32 row, const Call& call) const {
    dispatch_stored(a_.border, [&]<class T>(T) {
      if constexpr (holds_cells<T> && T(0.5) == T(0)) {
        T* h = static_cast<T*>(band_.task.right) + right_at(border, row);
        call(h, h + band_.task.column_border_stride);
      }
    });
  }
  __device__ __forceinline__ void store_corner(i64 border, V h) const {
    if (begins_border_piece(a_, band_)) store_stored(a_.border, band_.task.right, right_at(border, -1), h);
  }

 private:
  /// The element of a row border that belongs to the column: the columns of each cell are a piece of their own.
  __device__ __forceinline__ i64 in_row_border(i32 column) const {
    if (a_.border_columns == 0) return column;
    const i64 piece_of_border = (band_.start + column) / a_.border_columns;
    return column + piece_of_border * (planes * band_.task.row_border_stride - a_.border_columns);
  }
  __device__ __forceinline__ i64 right_at(i64 border, i32 row) const {
    const i64 stride = P::column_planes * band_.task.column_border_stride;
    return border * a_.border_pieces_down * stride + band_.first_row + row + 1;
  }

  const SweepArguments& a_;
  const KernelBand& band_;
};

}  // namespace terrace::wavefront
