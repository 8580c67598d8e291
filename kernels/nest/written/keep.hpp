// The results of a tile: its parts of arrays, best elements and corners; and elements that no statement writes.
#pragma once

#include "kernels/nest/written/work.hpp"

namespace terrace::nest {

/// The results that a thread has found.
struct Found {
  BestElement best[most_results];
  Word corner[most_results];
  i64 has_corner[most_results];
};

template <class T>
TERRACE_HOST_DEVICE bool is_better(int direction, T a, T b) {
  return direction > 0 ? b < a : a < b;
}

/// Takes an element that is better than the best one so far, or as good and of lesser subscripts; never NaN.
template <class T>
TERRACE_HOST_DEVICE void offer_value(BestElement& best, int direction, const i64 (&at)[most_coordinates], T value) {
  if (value != value) return;
  if (best.is_found != 0) {
    const T own = from_word<T>(best.value);
    if (is_better(direction, own, value)) return;
    if (!is_better(direction, value, own)) {
      int axis = 0;
      while (axis < most_coordinates - 1 && at[axis] == best.at[axis]) ++axis;
      if (at[axis] >= best.at[axis]) return;
    }
  }
  best.value = as_word<T>(value);
  for (int axis = 0; axis < most_coordinates; ++axis) best.at[axis] = at[axis];
  best.is_found = 1;
}

/// A row of kept values: columns [begin, end), whose element at `column` has the subscript
/// base[axis] + slope(axis) * column.
template <class S>
struct KeptRow {
  i64 begin, end, base[most_coordinates];
  const typename S::Type* values;  // at column 0

  TERRACE_HOST_DEVICE void set_element(i64 column, i64 (&at)[most_coordinates]) const {
    for (int axis = 0; axis < S::axes; ++axis) at[axis] = base[axis] + S::slope(axis) * column;
  }
};

template <class S>
TERRACE_HOST_DEVICE void keep_part(const KeptRow<S>& row, const Part& part, const Team& team) {
  i64 begin = row.begin, end = row.end, first = 0, step = 0;
  for (int axis = 0; axis < S::axes; ++axis) {
    clip(part.begin[axis], part.end[axis], row.base[axis], S::slope(axis), begin, end);
    first += (row.base[axis] - part.begin[axis]) * part.stride[axis];
    step += S::slope(axis) * part.stride[axis];
  }
  auto* data = static_cast<typename S::Type*>(part.data);
  for (i64 column = begin + team.column; column < end; column += team.columns) {
    data[first + step * column] = row.values[column];
  }
}

template <class S>
TERRACE_HOST_DEVICE void keep_best(const KeptRow<S>& row, const Team& team, Found& found) {
  for (i64 column = row.begin + team.column; column < row.end; column += team.columns) {
    BestElement& best = found.best[S::array];
    const auto value = row.values[column];
    if (best.is_found != 0 && is_better(S::best, from_word<typename S::Type>(best.value), value)) continue;
    i64 at[most_coordinates] = {};
    row.set_element(column, at);
    offer_value(best, S::best, at, value);
  }
}

template <class S>
TERRACE_HOST_DEVICE void keep_corner(const KeptRow<S>& row, const Team& team, Found& found) {
  i64 begin = row.begin, end = row.end;
  for (int axis = 0; axis < S::axes; ++axis) {
    clip(S::last(axis), S::last(axis) + 1, row.base[axis], S::slope(axis), begin, end);
  }
  if (begin >= end || team.column != 0) return;
  found.corner[S::array] = as_word(row.values[begin]);
  found.has_corner[S::array] = 1;
}

/// Keeps what a tile has made of a row of coordinates. @param parts of all statements
template <class N, int s = 0>
TERRACE_HOST_DEVICE void keep_row(const Tile& tile, const Part* parts, int part_count, const Team& team,
                                  const i64 (&at)[most_coordinates], const typename N::Values& values, Found& found) {
  if constexpr (s < N::statements) {
    using S = typename N::template Statement<s>;
    constexpr int last = N::rank - 1;
    KeptRow<S> row{tile.begin[last], tile.end[last], {}, nullptr};
    S::kept_row(at, row.begin, row.end);
    if (row.begin < row.end) {
      i64 first[most_coordinates] = {};
      for (int n = 0; n < last; ++n) first[n] = at[n];
      S::set_base(first, row.base);
      row.values = S::values(values) + index_of<N>(tile, first);
      for (int n = 0; n < part_count; ++n) {
        if (parts[n].statement == s) keep_part<S>(row, parts[n], team);
      }
      if constexpr (S::best != 0) keep_best<S>(row, team, found);
      if constexpr (S::has_corner) keep_corner<S>(row, team, found);
    }
    keep_row<N, s + 1>(tile, parts, part_count, team, at, values, found);
  }
}

/// Makes the elements that no statement writes of a part of array a. @param lane of `lanes` threads, which take
/// elements in turn @return the number of the thread's first element that has no value; -1: all have one
template <class N, int a>
TERRACE_HOST_DEVICE i64 fill_part(const TileWork& work, const Part& part, i64 lane, i64 lanes, NestFailure& failure) {
  using A = typename N::template Array<a>;
  i64 count = 1;
  for (int axis = 0; axis < A::axes; ++axis) count *= values::larger(i64{0}, part.end[axis] - part.begin[axis]);
  auto* data = static_cast<typename A::Type*>(part.data);
  for (i64 number = lane; number < count; number += lanes) {
    i64 at[most_coordinates] = {}, index = 0, rest = number;
    for (int axis = A::axes - 1; axis >= 0; --axis) {
      const i64 extent = part.end[axis] - part.begin[axis], own = rest % extent;
      rest /= extent;
      at[A::first_loop + axis] = part.begin[axis] + own;
      index += own * part.stride[axis];
    }
    typename A::Made made;
    if (A::template first<false>(work, at, made, nullptr) != 0) {
      A::template first<true>(work, at, made, &failure);
      failure.statement = -1;
      return number;
    }
    data[index] = static_cast<typename A::Type>(made);
  }
  return -1;
}

template <class N, int a = 0>
TERRACE_HOST_DEVICE i64 fill_part_of(const TileWork& work, const Part& part, i64 lane, i64 lanes,
                                     NestFailure& failure) {
  if constexpr (a < N::arrays) {
    if (part.array == a) return fill_part<N, a>(work, part, lane, lanes, failure);
    return fill_part_of<N, a + 1>(work, part, lane, lanes, failure);
  }
  return -1;
}

/// Finds the corners of arrays that no statement writes. @return false if one has no value
template <class N, int a = 0>
TERRACE_HOST_DEVICE bool make_corners(const TileWork& work, Found& found, NestFailure& failure) {
  if constexpr (a < N::arrays) {
    using A = typename N::template Array<a>;
    if constexpr (A::has_first_corner) {
      i64 at[most_coordinates] = {};
      A::set_corner(at);
      typename A::Made made;
      if (A::template first<false>(work, at, made, nullptr) != 0) {
        A::template first<true>(work, at, made, &failure);
        failure.statement = -1;
        return false;
      }
      found.corner[a] = as_word(made);
      found.has_corner[a] = 1;
    }
    return make_corners<N, a + 1>(work, found, failure);
  }
  return true;
}

}  // namespace terrace::nest
