// Time warping, a pair in each lane. Included once for each instruction set, with TERRACE_ISA as its name.
//
// A few columns at a time go down all rows of the window: H of the row above stays in registers, H at the left is in
// memory. Lanes with fewer rows or columns make cells beyond their ends, which no cell of theirs depends on.
//
// Costs never fall along a warping, rounded as they are, and every warping goes through each column: a lane of which
// all cells of a column exceed the limit is done. All lanes are looked at after so many columns that it costs little.
#pragma once

#include "kernels/pairs/cpu/work.hpp"
#include "kernels/values/cpu_pack.hpp"
#include "kernels/wavefront/problem_list.hpp"

namespace terrace::pairs::TERRACE_ISA {
namespace {

using namespace values::TERRACE_ISA;

template <class P, class T>
class SeriesLanes {
  using V = Pack<T>;
  static constexpr int lanes = V::lanes, block = 4;
  static constexpr i64 look_columns = 32;
  static_assert(most_block % block == 0);

 public:
  explicit SeriesLanes(SeriesWork& work)
      : work_(work),
        rows_(static_cast<const T*>(work.row_values)),
        columns_(static_cast<const T*>(work.column_values)),
        h_(reinterpret_cast<T*>(work.memory)),
        kept_(h_ + work.rows * lanes) {}

  void run() {
    const V none(wavefront::infinity);
    for (i64 i = 0; i < work_.rows; ++i) none.store(h_ + i * lanes);
    for (i64 lane = 0; lane < work_.lanes; ++lane) score(lane) = static_cast<T>(wavefront::infinity);
    const bool limited = !work_.free_columns && work_.at_most < wavefront::infinity;
    for (i64 column = 0; column < work_.columns; column += block) {
      make_block(column);
      if (limited && (column + block) % look_columns == 0 && may_leave(column + block)) return;
    }
  }

 private:
  T& score(i64 lane) { return static_cast<T*>(work_.scores)[lane]; }
  /// H above the first row.
  V above() const { return V(work_.free_columns ? 0 : wavefront::infinity); }

  /// True if all lanes have ended before column `column`, or exceed the limit in all cells of the one before.
  bool may_leave(i64 column) {
    V least(wavefront::infinity);
    for (i64 i = begin_; i < end_; ++i) least = minimum(least, V::load(h_ + i * lanes));
    alignas(64) T costs[lanes];
    least.store(costs);
    i64 left = 0;
    for (i64 lane = 0; lane < work_.lanes; ++lane) {
      if (work_.items[lane].columns <= column) continue;
      if (!(static_cast<double>(costs[lane]) > work_.at_most)) return false;
      ++left;
    }
    work_.left = left;
    return true;
  }

  void make_block(i64 column) {
    const i64 window = work_.window, rows = work_.rows;
    // Rows with cells in the window; between `inner` and `outer` all of the block's cells are.
    const i64 begin = values::minimum(values::maximum(column - window, i64(0)), rows);
    const i64 end = values::maximum(values::minimum(column + block - 1 + window + 1, rows), begin);
    const i64 inner = values::minimum(values::maximum(column + block - 1 - window, begin), end);
    const i64 outer = values::maximum(values::minimum(column + window + 1, end), inner);
    for (int k = 0; k < block; ++k) {
      value_[k] = V::load(columns_ + (column + k) * lanes);
      up_[k] = begin > 0 ? V(wavefront::infinity) : above();
    }
    begin_ = begin, end_ = end;
    if (begin > 0) diagonal_ = V::load(h_ + (begin - 1) * lanes);
    else if (column > 0) diagonal_ = above();
    else diagonal_ = P::corner(typename P::template Constants<V>(), V::load(rows_), V::load(columns_));
    keep_ = work_.free_columns || ends_in(column);
    keep_from_ = keep_ ? values::maximum(begin, values::minimum(work_.least_rows - 1, end)) : end;
    make_rows<true>(column, begin, inner);
    make_rows<false>(column, inner, outer);
    make_rows<true>(column, outer, end);
    if (keep_) take_scores(column, end);
  }

  template <bool edge>
  void make_rows(i64 column, i64 begin, i64 end) {
    const i64 middle = values::maximum(begin, values::minimum(keep_from_, end));
    make_rows<edge, false>(column, begin, middle);
    make_rows<edge, true>(column, middle, end);
  }

  template <bool edge, bool keep>
  void make_rows(i64 column, i64 begin, i64 end) {
    const typename P::template Constants<V> k{};
    V up[block], value[block], diagonal = diagonal_;
    for (int c = 0; c < block; ++c) {
      up[c] = up_[c];
      value[c] = value_[c];
    }
    for (i64 i = begin; i < end; ++i) {
      const V row = V::load(rows_ + i * lanes), before = V::load(h_ + i * lanes);
      V left = before;
#pragma GCC unroll 8
      for (int c = 0; c < block; ++c) {
        const V s = P::template score<V>(k, row, value[c]);
        V h = P::template cell<V>(k, {diagonal, up[c], left, V{}, V{}}, s).h;
        if (edge && !wavefront::in_window(work_.window, i, column + c)) h = V(wavefront::infinity);
        diagonal = up[c];
        up[c] = left = h;
        if constexpr (keep) h.store(kept_ + ((i - keep_from_) * block + c) * lanes);
      }
      diagonal = before;
      left.store(h_ + i * lanes);
    }
    for (int c = 0; c < block; ++c) up_[c] = up[c];
    diagonal_ = diagonal;
  }

  bool ends_in(i64 column) const {
    for (i64 lane = 0; lane < work_.lanes; ++lane) {
      if (work_.items[lane].columns > column && work_.items[lane].columns <= column + block) return true;
    }
    return false;
  }

  void take_scores(i64 column, i64 end) {
    for (i64 lane = 0; lane < work_.lanes; ++lane) {
      const i64 row = work_.items[lane].rows - 1, last = work_.items[lane].columns - 1 - column;
      if (last < 0 || row < keep_from_ || row >= end) continue;
      const T* costs = kept_ + (row - keep_from_) * block * lanes + lane;
      if (work_.free_columns) {
        for (i64 c = 0; c <= values::minimum(last, i64(block - 1)); ++c)
          take_least(lane, column + c, costs[c * lanes]);
      } else if (last < block) {
        score(lane) = costs[last * lanes];
      }
    }
  }

  /// The least cost of the last row counts, of equal ones the first.
  void take_least(i64 lane, i64 column, T cost) {
    if (work_.ends[lane] > 0 && !(cost < score(lane))) return;
    score(lane) = cost;
    work_.ends[lane] = static_cast<i32>(column + 1);
  }

  SeriesWork& work_;
  const T *rows_, *columns_;
  T *h_, *kept_;
  V up_[block], value_[block], diagonal_;
  bool keep_ = false;
  i64 keep_from_ = 0, begin_ = 0, end_ = 0;
};

template <class P, class T>
void make_series(SeriesWork& work) {
  SeriesLanes<P, T>(work).run();
}

}  // namespace

SeriesFunction series_function(int problem, bool wide) {
  SeriesFunction found = nullptr;
  wavefront::Problems::visit(problem, [&]<class P>(P) {
    if constexpr (P::items == wavefront::Items::values) found = wide ? make_series<P, double> : make_series<P, float>;
  });
  return found;
}

}  // namespace terrace::pairs::TERRACE_ISA
