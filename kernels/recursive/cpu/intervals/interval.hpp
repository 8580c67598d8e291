// Types and sizes that the vectorised kernels of problems over intervals share with their callers. Included by files
// that are compiled for newer instruction sets than the rest: no host library header.
#pragma once

#include "kernels/recursive/cpu/product.hpp"
#include "kernels/recursive/interval_rules.hpp"
#include "kernels/recursive/measured.hpp"

namespace terrace::recursive {

/// Rows and columns of what is closed value by value.
inline constexpr i64 close_side = measured::CpuIntervals::close_side;
/// Splits at a time, and rows and columns of a part of x, of products of which the splits are kept.
inline constexpr i64 split_depth = measured::CpuIntervals::split_depth,
                     split_rows = measured::CpuIntervals::split_rows,
                     split_columns = measured::CpuIntervals::split_columns;
inline constexpr i64 split_part = split_rows * split_columns;

/// x <- x + splits of u and v, on one thread. Weighted rules also use the sizes of the nodes of rows, splits and
/// columns.
template <class T>
struct IntervalProduct {
  Product<T> product;  // packed_u: twice packed_u_size values
  const T* row_sizes;
  const T* split_sizes;
  const T* column_sizes;
  i32* split;  // null: not asked for
  i64 split_stride;
  i64 first_split;
  T* part;     // split_part values
  i32* found;  // split_part numbers
};

/// A part of at most close_side rows and columns; all splits outside its own rows and columns have been
/// taken.
template <class T>
struct ClosedPart {
  i64 rows, columns, row, column;  // row, column: the first nodes
  T* x;
  i64 x_stride;
  i32* split;  // null: not asked for
  i64 split_stride;
  const T* u;  // the part on the diagonal in its rows; null: this is on the diagonal
  i64 u_stride;
  const T* v;  // the part on the diagonal in its columns
  i64 v_stride;
  const T* under;   // the row below it
  const T* beside;  // the column on its left
  i64 beside_stride;
  const T* corner;  // below that
  NodeTerms<T> terms;
};

template <class T>
struct IntervalKernels {
  void (*multiply)(const IntervalProduct<T>&);
  void (*close)(const ClosedPart<T>&);
  T zero;  // of the algebra
};

/// The kernels of one rule for one instruction set; null for types that it is not computed in.
struct IntervalKernelSet {
  IntervalKernels<double> f64;
  IntervalKernels<i16> w16;
  IntervalKernels<i32> w32;
  IntervalKernels<i64> w64;
};

namespace sse2 {
IntervalKernelSet interval_kernels(int rule);
}
namespace avx2 {
IntervalKernelSet interval_kernels(int rule);
}
namespace avx512 {
IntervalKernelSet interval_kernels(int rule);
}

}  // namespace terrace::recursive
