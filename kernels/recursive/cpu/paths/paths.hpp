// Types and sizes that the vectorised kernels of tables with trails share with their callers. Included by files that
// are compiled for newer instruction sets than the rest: no host library header.
#pragma once

#include "kernels/device/integers.hpp"
#include "kernels/recursive/measured.hpp"

namespace terrace::recursive {

using device::i16;
using device::i32;
using device::i64;
using device::u32;
using device::u64;

/// x <- x + u * v of pairs of distances and trails (trail.hpp), on one thread. Matrices are row-major; strides count
/// elements from row to row. x may be u or v.
template <class T, class W>
struct PathProduct {
  i64 rows, columns, depth;  // x: rows x columns, u: rows x depth, v: depth x columns
  const T* u;
  const W* u_trail;
  i64 u_stride;
  const T* v;
  const W* v_trail;
  i64 v_stride;
  T* x;
  W* x_trail;
  i64 x_stride;
  T* packed;  // paths_depth x paths_columns each
  W* packed_trail;
};

/// Rows and columns of v that are copied at a time.
inline constexpr i64 paths_depth = measured::CpuPaths::depth;
inline constexpr i64 paths_columns = measured::CpuPaths::columns;

template <class T, class W>
using RelaxPaths = void (*)(const PathProduct<T, W>&);

/// Kernels for one instruction set.
struct PathKernels {
  RelaxPaths<float, u32> f32;
  RelaxPaths<i16, u32> w16;
  RelaxPaths<i32, u32> w32;
  RelaxPaths<float, u64> long_f32;
  RelaxPaths<i16, u64> long_w16;
  RelaxPaths<i32, u64> long_w32;
  RelaxPaths<double, u64> long_f64;
  RelaxPaths<i64, u64> long_w64;
};

namespace sse2 {
PathKernels path_kernels();
}
namespace avx2 {
PathKernels path_kernels();
}
namespace avx512 {
PathKernels path_kernels();
}

}  // namespace terrace::recursive
