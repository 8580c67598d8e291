// Types and sizes that the vectorised kernels of the recursive family share with their callers. Included by files
// that are compiled for newer instruction sets than the rest: no host library header, nothing that leaves a common
// symbol behind.
#pragma once

#include "kernels/device/integers.hpp"
#include "kernels/recursive/measured.hpp"

namespace terrace::recursive {

using device::i16;
using device::i32;
using device::i64;

/// x <- x + u * v in a semiring, on one thread. Matrices are row-major; strides count elements from row to row.
///
/// x may be v (then u has as many rows as columns), or u (then v has): if the semiring is idempotent and the other
/// factor is closed, x becomes closed by it, no matter which of its elements are old and which are new when they are
/// read. Then a column (a row) of x never depends on the cut of the others.
template <class T>
struct Product {
  i64 rows, columns, depth;  // x: rows x columns, u: rows x depth, v: depth x columns
  const T* u;
  i64 u_stride;
  const T* v;
  i64 v_stride;
  T* x;
  i64 x_stride;
  T* packed_u;  // packed_u_size values, aligned to 64 bytes
  T* packed_v;  // packed_v_size() values, aligned to 64 bytes
};

/// Sizes of the parts into which a product is cut for the caches: these rows and columns of v are packed for the
/// second level, these rows of u likewise, and a strip of v as wide as a register block stays in the first level.
inline constexpr i64 product_depth = measured::CpuProducts::depth;
inline constexpr i64 product_rows = measured::CpuProducts::rows;
template <class T>
inline constexpr i64 product_columns = measured::CpuProducts::row_bytes / static_cast<i64>(sizeof(T));

/// Room for packing.
inline constexpr i64 packed_u_size = product_rows * product_depth;
template <class T>
inline constexpr i64 packed_v_size = product_columns<T>* product_depth;

template <class T>
using Multiply = void (*)(const Product<T>&);

/// Products in one semiring for one instruction set; null for types that it is not computed in, or by BLAS.
struct ProductKernels {
  Multiply<float> f32;
  Multiply<double> f64;
  Multiply<i16> w16;
  Multiply<i32> w32;
  Multiply<i64> w64;
};

/// The kernels of semiring number `semiring` (semiring_list.hpp).
namespace sse2 {
ProductKernels product_kernels(int semiring);
inline constexpr int vector_bytes = 16;
inline constexpr int block_rows = measured::CpuProducts::sse2_rows;
}  // namespace sse2
namespace avx2 {
ProductKernels product_kernels(int semiring);
inline constexpr int vector_bytes = 32;
inline constexpr int block_rows = measured::CpuProducts::avx2_rows;
}  // namespace avx2
namespace avx512 {
ProductKernels product_kernels(int semiring);
inline constexpr int vector_bytes = 64;
inline constexpr int block_rows = measured::CpuProducts::avx512_rows;
}  // namespace avx512

}  // namespace terrace::recursive
