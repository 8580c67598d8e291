// A member of a cluster: a node whose settings are known when its kernel is compiled.
//
// A member is a struct without data that the host prints (fused/source.hpp):
//   Op                                    the operator, or a formula as its cell
//   row_radius, column_radius, axis, is_separable     Constants
//   numbers, set_numbers(to, all)         Constants::numbers; all: those of the whole graph, as a task brings them
//   boundary, boundary_value()            of its operands
#pragma once

#include "kernels/graph/operator.hpp"

namespace terrace::graph {

/// The constants of a member.
template <class Member, class T>
struct MemberConstants {
  T numbers[Member::numbers > 0 ? Member::numbers : 1];

  __device__ __forceinline__ explicit MemberConstants(const void* all) {
    Member::set_numbers(numbers, static_cast<const T*>(all));
  }
  __device__ __forceinline__ Constants<T> constants() const {
    return {numbers, Member::row_radius, Member::column_radius, Member::axis, Member::is_separable};
  }
};

/// The operands of a member whose indices count from a place in the array on.
template <class Read>
struct PlacedRead {
  const Read& read;  // (operand, row, column)
  i64 row, column;
  Shape of_all;

  __device__ __forceinline__ auto operator()(i32 operand, i64 i, i64 j) const { return read(operand, i, j); }
  __device__ __forceinline__ i64 index(i32 axis, i64 at) const { return at + (axis == 0 ? row : column); }
  __device__ __forceinline__ Shape shape() const { return of_all; }
};

/// The place of a lane in a step.
struct StreamPlace {
  i32 step, column;
  Shape shape;  // of the arrays
};

/// The last rows of a value that a warp has made, in registers: the columns of a lane, and some of its neighbours.
template <class T, i32 columns, i32 rows, i32 beside>
struct RowWindow {
  T values[rows][columns + 2 * beside];

  /// Adds the row below the last one.
  __device__ __forceinline__ void add(const T (&row)[columns]) {
#pragma unroll
    for (i32 r = 0; r + 1 < rows; ++r) {
#pragma unroll
      for (i32 c = 0; c < columns + 2 * beside; ++c) values[r][c] = values[r + 1][c];
    }
    T(&last)[columns + 2 * beside] = values[rows - 1];
#pragma unroll
    for (i32 c = 0; c < columns; ++c) last[beside + c] = row[c];
#pragma unroll
    for (i32 c = 0; c < beside; ++c) {
      last[beside - 1 - c] = __shfl_up_sync(~0u, row[columns - 1 - c % columns], 1 + c / columns);
    }
#pragma unroll
    for (i32 c = 0; c < beside; ++c) {
      last[beside + columns + c] = __shfl_down_sync(~0u, row[c % columns], 1 + c / columns);
    }
  }
  /// @param row 0: the last one; -1: the one above
  __device__ __forceinline__ T at(i64 row, i64 column) const { return values[rows - 1 + row][beside + column]; }
};

template <class T, i32 columns>
__device__ __forceinline__ void copy_row(const T (&from)[columns], T (&to)[columns]) {
#pragma unroll
  for (i32 c = 0; c < columns; ++c) to[c] = from[c];
}

/// A row of a member: read(operand, row, column) relative to its first cell. @param lag of the member
template <class Member, class T, i32 columns, class Read>
__device__ __forceinline__ void make_row(const StreamPlace& place, i32 lag, const void* numbers, const Read& read,
                                         T (&row)[columns]) {
  const MemberConstants<Member, T> own(numbers);
  const PlacedRead<Read> placed{read, place.step - lag, place.column, place.shape};
#pragma unroll
  for (i32 c = 0; c < columns; ++c) row[c] = Member::Op::cell(own.constants(), placed, i64{0}, i64{c});
}

/// The sums of a row of a member's operand.
template <class Member, class T, i32 columns, class Read>
__device__ __forceinline__ void sum_row(const void* numbers, const Read& read, T (&row)[columns]) {
  const MemberConstants<Member, T> own(numbers);
#pragma unroll
  for (i32 c = 0; c < columns; ++c) row[c] = Member::Op::row_sum(own.constants(), read, i64{0}, i64{c});
}

/// A row of a member from sums of rows.
template <class Member, class T, i32 columns, class Sums>
__device__ __forceinline__ void make_row_of_sums(const void* numbers, const Sums& sums, T (&row)[columns]) {
  const MemberConstants<Member, T> own(numbers);
#pragma unroll
  for (i32 c = 0; c < columns; ++c) {
    row[c] = Member::Op::sum_of_rows(own.constants(), [&](i64 a) { return sums.at(a - 2 * Member::row_radius, c); });
  }
}

}  // namespace terrace::graph
