// Nodes whose neighbourhoods may be summed row by row, on the CPU: the sums of a row serve all rows around it.
#pragma once

#include <array>
#include <type_traits>
#include <vector>

#include "kernels/graph/operator.hpp"

namespace terrace::graph {

/// Calls call(radius): with a constant if the radius is small, so that loops over a neighbourhood are unrolled and
/// cells beside one another become vectors.
template <class Call>
void with_radius(i64 radius, const Call& call) {
  switch (radius) {
    case 1:
      return call(std::integral_constant<i64, 1>{});
    case 2:
      return call(std::integral_constant<i64, 2>{});
    case 3:
      return call(std::integral_constant<i64, 3>{});
    default:
      return call(radius);
  }
}

/// The sums of the last rows of a thread: those of row i in place i modulo their number.
template <class T>
class RowSums {
 public:
  void forget() { rows_.clear(); }

  /// The sums of a row. @param height rows of a neighbourhood @param make makes the sums: make(T* made)
  template <class Make>
  const T* row(i64 i, i64 height, i64 columns, const Make& make) {
    if (std::ssize(rows_) != height) {
      rows_.assign(static_cast<std::size_t>(height), none);
      sums_.resize(static_cast<std::size_t>(height * columns));
    }
    const i64 place = (i % height + height) % height;
    T* own = sums_.data() + place * columns;
    if (rows_[static_cast<std::size_t>(place)] != i) make(own);
    rows_[static_cast<std::size_t>(place)] = i;
    return own;
  }

 private:
  static constexpr i64 none = i64{-1} << 62;  // no row, also beyond an end

  std::vector<i64> rows_;
  std::vector<T> sums_;
};

/// Makes row i of a node. @param inside, any read columns inside of the operand, and all @param inner the columns
/// whose cells read none outside
template <SumsRows Op, class T, class Inside, class Any>
void make_from_sums(const Constants<T>& k, const Inside& inside, const Any& any, Range inner, i64 columns, i64 i,
                    RowSums<T>& sums, T* __restrict made) {
  const i64 height = 2 * k.row_radius + 1;
  std::array<const T*, 2 * most_radius + 1> rows{};
  for (i64 a = 0; a < height; ++a) {
    const i64 at = i - k.row_radius + a;
    rows[static_cast<std::size_t>(a)] = sums.row(at, height, columns, [&](T* __restrict own) {
      for (i64 j = 0; j < inner.begin; ++j) own[j] = Op::row_sum(k, any, at, j);
      with_radius(k.column_radius, [&](auto radius) {
        Constants<T> near = k;
        near.column_radius = static_cast<i32>(radius);
        for (i64 j = inner.begin; j < inner.end; ++j) own[j] = Op::row_sum(near, inside, at, j);
      });
      for (i64 j = inner.end; j < columns; ++j) own[j] = Op::row_sum(k, any, at, j);
    });
  }
  with_radius(k.row_radius, [&](auto radius) {
    Constants<T> near = k;
    near.row_radius = static_cast<i32>(radius);
    for (i64 j = 0; j < columns; ++j) {
      made[j] = Op::sum_of_rows(near, [&](i64 a) { return rows[static_cast<std::size_t>(a)][j]; });
    }
  });
}

}  // namespace terrace::graph
