// A tile of a nest on the CPU: rows of it one after another. Compiled at run time with the struct N of a nest
// (written/work.hpp).
#pragma once

#include "kernels/nest/written/faces.hpp"
#include "kernels/nest/written/keep.hpp"

namespace terrace::nest {

/// A tile as a thread makes it.
struct TileCall {
  const TileWork* work;
  const NestTask* task;
  i64 number[most_coordinates];
  void* values;  // N::Values of the thread
  Found* found;
  NestFailure* failure;             // of the first cell that has no value, in the order of coordinates
  i64 failed_at[most_coordinates];  // its coordinates
};

/// The columns of a row in which a statement has iterations, and usual ones.
struct RowColumns {
  i64 begin, end, usual_begin, usual_end;

  TERRACE_HOST_DEVICE bool has(i64 column) const { return column >= begin && column < end; }
  TERRACE_HOST_DEVICE bool is_usual(i64 column) const { return column >= usual_begin && column < usual_end; }
};

template <class N>
class TileRows {
 public:
  using Values = typename N::Values;
  using Carried = typename N::Carried;
  static constexpr int last = N::rank - 1;

  explicit TileRows(TileCall& call)
      : call_(call),
        work_(*call.work),
        tile_(tile_of<N>(work_, call.number)),
        values_(static_cast<Values*>(call.values)) {}

  /// Cells that have no value get one that stands for it, so that the first of all such cells is found, whatever the
  /// tiles. @return false if there are some
  bool make() {
    if (!is_needed<N>(tile_)) return true;
    const Team alone{0, 1, 0, 1};
    const auto sync = [] {};
    move_faces<N, true>(work_, tile_, alone, *values_, sync);
    for_rows<N>(alone, tile_.begin, tile_.end, [&](const i64(&at)[most_coordinates]) {
      make_row(at);
      keep_row<N>(tile_, call_.task->parts, call_.task->part_count, alone, at, *values_, *call_.found);
    });
    move_faces<N, false>(work_, tile_, alone, *values_, sync);
    return !fails_;
  }

 private:
  void make_row(const i64 (&at)[most_coordinates]) {
    RowColumns rows[N::statements];
    i64 column = tile_.end[last], end = tile_.begin[last];
    find_columns<0>(at, rows);
    for (const RowColumns& row : rows) {
      if (row.begin >= row.end) continue;
      column = values::smaller(column, row.begin);
      end = values::larger(end, row.end);
    }
    while (column < end) {
      // Up to the next column at which a statement begins or ends.
      i64 next = end;
      bool is_main = true;
      for (int s = 0; s < N::statements; ++s) {
        const i64 bounds[] = {rows[s].begin, rows[s].end, rows[s].usual_begin, rows[s].usual_end};
        for (const i64 bound : bounds) {
          if (bound > column && bound < next) next = bound;
        }
        is_main &= N::is_main(s) ? rows[s].is_usual(column) : !rows[s].has(column);
      }
      const i64 done = is_main ? make_main(at, column, next) : column;
      make_any(at, rows, done, next);
      column = next;
    }
  }

  template <int s>
  void find_columns(const i64 (&at)[most_coordinates], RowColumns (&rows)[N::statements]) const {
    if constexpr (s < N::statements) {
      using S = typename N::template Statement<s>;
      RowColumns& row = rows[s];
      row = {tile_.begin[last], tile_.end[last], tile_.begin[last], tile_.end[last]};
      S::row(at, row.begin, row.end);
      S::usual_row(at, row.usual_begin, row.usual_end);
      find_columns<s + 1>(at, rows);
    }
  }

  /// The cells of columns at which all main statements are usual, and no other is there. @return the first column
  /// that fails, or the end
  i64 make_main(const i64 (&row)[most_coordinates], i64 begin, i64 end) {
    i64 at[most_coordinates] = {};
    for (int n = 0; n < last; ++n) at[n] = row[n];
    at[last] = begin;
    return run_main(work_, values_, at, index_of<N>(tile_, at), end);
  }
  [[gnu::noinline]] static i64 run_main(const TileWork& work, Values* __restrict values,
                                        const i64 (&first)[most_coordinates], i64 index, i64 end) {
    i64 at[most_coordinates] = {};
    for (int n = 0; n < last; ++n) at[n] = first[n];
    const i64 begin = first[last], count = end - begin;
    Carried before;
    load_carried<N>(*values, index, before);
    for (i64 k = 0; k < count; ++k) {
      at[last] = begin + k;
      Carried made;
      if (!make_usual<0>(work, *values, at, index + k, before, made)) return at[last];
      before = made;
    }
    return end;
  }
  template <int k>
  TERRACE_HOST_DEVICE static bool make_usual(const TileWork& work, Values& values, const i64 (&at)[most_coordinates],
                                             i64 index, const Carried& before, Carried& carried) {
    if constexpr (k < N::statements) {
      constexpr int s = N::order(k);
      if constexpr (N::is_main(s)) {
        using S = typename N::template Statement<s>;
        i64 y[most_coordinates] = {}, loops[most_coordinates] = {};
        S::locate(at, y);
        S::spread(y, loops);
        typename S::Made made;
        const int code = S::usual(work, values, index, y, loops, made, before);
        if constexpr (S::usual_fails) {
          if (code != 0) return false;
        }
        const auto stored = static_cast<typename S::Type>(made);
        S::values(values)[index] = stored;
        if constexpr (S::is_carried) S::carried(carried) = stored;
      }
      return make_usual<k + 1>(work, values, at, index, before, carried);
    }
    return true;
  }

  void make_any(const i64 (&row)[most_coordinates], const RowColumns (&rows)[N::statements], i64 begin, i64 end) {
    i64 at[most_coordinates] = {};
    for (int n = 0; n < last; ++n) at[n] = row[n];
    for (at[last] = begin; at[last] < end; ++at[last]) make_statement<0>(at, rows, index_of<N>(tile_, at));
  }
  template <int k>
  void make_statement(const i64 (&at)[most_coordinates], const RowColumns (&rows)[N::statements], i64 index) {
    if constexpr (k < N::statements) {
      constexpr int s = N::order(k);
      using S = typename N::template Statement<s>;
      if (rows[s].has(at[last])) {
        i64 y[most_coordinates] = {}, loops[most_coordinates] = {};
        S::locate(at, y);
        S::spread(y, loops);
        typename S::Made made;
        Carried before;
        load_carried<N>(*values_, index, before);
        const int code = rows[s].is_usual(at[last])
                             ? S::usual(work_, *values_, index, y, loops, made, before)
                             : S::template any<false>(work_, *values_, index, y, loops, made, nullptr);
        if (code != 0) fail<s>(at, index, y, loops);
        S::values(*values_)[index] = code != 0 ? S::stand_in : static_cast<typename S::Type>(made);
      }
      make_statement<k + 1>(at, rows, index);
    }
  }
  template <int s>
  [[gnu::noinline]] void fail(const i64 (&at)[most_coordinates], i64 index, const i64 (&y)[most_coordinates],
                              const i64 (&loops)[most_coordinates]) {
    if (fails_) return;
    fails_ = true;
    typename N::template Statement<s>::Made made;
    N::template Statement<s>::template any<true>(work_, *values_, index, y, loops, made, call_.failure);
    call_.failure->statement = s;
    for (int n = 0; n < most_coordinates; ++n) call_.failed_at[n] = at[n];
  }

  TileCall& call_;
  const TileWork& work_;
  Tile tile_;
  Values* values_;
  bool fails_ = false;
};

/// Makes a tile. @return false if a cell has no value
template <class N>
bool make_tile(TileCall& call) {
  return TileRows<N>(call).make();
}

/// Makes what no statement writes. @return false if an element has no value
template <class N>
bool make_rest(TileCall& call) {
  for (int n = 0; n < call.task->part_count; ++n) {
    const Part& part = call.task->parts[n];
    if (part.statement < 0 && fill_part_of<N>(*call.work, part, 0, 1, *call.failure) >= 0) return false;
  }
  return call.task->makes_corners == 0 || make_corners<N>(*call.work, *call.found, *call.failure);
}

}  // namespace terrace::nest
