// The cells before a piece of a table that is walked through, in the form in which each kind of task keeps them.
#pragma once

#include "kernels/wavefront/cuda/bands/bands.cuh"
#include "kernels/wavefront/problem.hpp"
#include "kernels/wavefront/trace.hpp"
#include "kernels/wavefront/window.hpp"

namespace terrace::wavefront {

/// Item `index` of a task, as a value that cells are computed from.
template <class P, class V>
__device__ V trace_item(const void* items, i64 index) {
  if constexpr (P::items == Items::letters) {
    return V(static_cast<i64>(device::load_past_l1(static_cast<const device::u8*>(items) + index)));
  } else {
    return device::load_past_l1(static_cast<const V*>(items) + index);
  }
}

/// Borders of a piece: H and E of the column before it, H and F of the row above it. Rows and columns count from the
/// piece's first.
template <class P, class V, class Task>
class TraceBorders;

/// Kept as values, or the recurrence's own.
template <class P, class V>
class TraceBorders<P, V, TraceTask> {
 public:
  using Constants = typename P::template Constants<V>;
  static constexpr int planes = P::row_planes;

  __device__ TraceBorders(Stored type, const Constants& k, const TraceTask& task, const TracePiece& piece)
      : type_(type),
        k_(k),
        task_(task),
        piece_(piece),
        above_(border_above(task, piece)),
        before_(border_before(task, piece)) {}

  /// Before the column before the piece is looked at, by all lanes. @param row the band's first @param rows of the
  /// piece
  __device__ void begin(i64, i64) {}

  /// @param row from -1 on
  __device__ V left_h(i32 row) const {
    if constexpr (windowed) {
      if (before_.base && !inside(piece_.row + row, piece_.column - 1)) return V(infinity);
    }
    if (before_.base) return load_stored<V>(type_, before_.base, before_.offset + row + 1);
    if constexpr (has_corner<P, V>) {
      // A piece at the table's first cell begins with its box: these are the table's first items.
      if (piece_.row + row < 0)
        return P::corner(k_, trace_item<P, V>(task_.rows, 0), trace_item<P, V>(task_.columns, 0));
    }
    return P::template left<V>(k_, piece_.row + row).h;
  }
  __device__ V left_e(i32 row) const {
    if (before_.base) {
      return load_stored<V>(type_, before_.base, before_.offset + task_.column_border_stride + row + 1);
    }
    return P::template left<V>(k_, piece_.row + row).gap;
  }

  /// H and F above a column. Each lane asks for the columns that are its own of every 32, in turn.
  __device__ void above(i32 column, V (&top)[planes]) {
    const Border<V> border = P::template top<V>(k_, piece_.column + column);
    top[0] = above_.base ? load_stored<V>(type_, above_.base, above_.offset + column) : border.h;
    if constexpr (planes == 2) {
      top[1] = above_.base ? load_stored<V>(type_, above_.base, above_.offset + task_.row_border_stride + column)
                           : border.gap;
    }
    if constexpr (windowed) {
      if (!inside(piece_.row - 1, piece_.column + column)) top[0] = V(infinity);
    }
  }

 private:
  static constexpr bool windowed = has_window<P>;
  __device__ bool inside(i64 row, i64 column) const { return in_window(window_of<P, V>(k_), row, column); }

  const Stored type_;
  const Constants& k_;
  const TraceTask& task_;
  const TracePiece piece_;
  const BorderPlace above_, before_;
};

/// Kept as differences. H counts from the corner before the piece: paths do not depend on a constant in all cells.
template <class P, class V>
class TraceBorders<P, V, BitTraceTask> {
 public:
  using Constants = typename P::template Constants<V>;

  __device__ TraceBorders(Stored, const Constants&, const BitTraceTask& task, const TracePiece& piece)
      : above_(line_above<P>(task, piece)), before_(line_before<P>(task, piece)) {}

  __device__ void begin(i64 row, i64 rows) {
    const i64 words = row / word_cells;
    i32 rise = 0;
    for (i64 w = lane_index(); w < words; w += 32) rise += rise_of(before_.word<P>(w, load), ~u64{0});
    left_ = __reduce_add_sync(~0u, rise);
    first_row_ = row;
#pragma unroll
    for (int w = 0; w < band_words; ++w) {
      if (row + w * word_cells < rows) words_[w] = before_.word<P>(words + w, load);
    }
  }

  __device__ V left_h(i32 row) const {
    i64 h = left_;
#pragma unroll
    for (int w = 0; w < band_words; ++w) {
      const i64 count = row + 1 - first_row_ - w * word_cells;
      if (count > 0) h += rise_of(words_[w], ~u64{0} >> (word_cells - minimum(count, word_cells)));
    }
    return V(h);
  }

  __device__ void above(i32 column, V (&top)[1]) {
    const BitWord word = above_.word<P>(column / word_cells, load);
    const u64 half = u64{0xffffffff} << (column % word_cells < 32 ? 32 : 0);  // the first column in the highest bit
    top[0] = V(static_cast<i64>(top_) + rise_of(word, half & ~u64{0} << (word_cells - 1 - column % word_cells)));
    top_ += rise_of(word, half);
  }

 private:
  static constexpr int band_words = 2;  // of a band of 128 rows

  __device__ static u64 load(const u64* word) { return device::load_past_l1(word); }
  __device__ static i32 rise_of(const BitWord& word, u64 cells) {
    return __popcll(word.plus & cells) - __popcll(word.minus & cells);
  }

  const BitLine above_, before_;
  BitWord words_[band_words] = {};  // down the column before the band's rows
  i64 first_row_ = 0;               // of the band
  i32 left_ = 0, top_ = 0;          // H before the band's first row, and above the next 32 columns
};

}  // namespace terrace::wavefront
