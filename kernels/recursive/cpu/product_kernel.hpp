// Products in a semiring for one instruction set: packed as in Goto and van de Geijn, "Anatomy of high-performance
// matrix multiplication" (2008). Included by files that define TERRACE_ISA.
#pragma once

#include "kernels/recursive/cpu/product.hpp"
#include "kernels/recursive/semiring_list.hpp"

namespace terrace::recursive::TERRACE_ISA {

/// Vectors of a row of a register block.
inline constexpr int block_vectors = measured::CpuProducts::block_vectors;

template <class S, class T>
struct Block {
  typedef T Vector __attribute__((vector_size(vector_bytes)));
  static constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));
  static constexpr int columns = lanes * block_vectors;

  static Vector load(const T* at) {
    Vector vector;
    __builtin_memcpy(&vector, at, vector_bytes);
    return vector;
  }

  /// block_rows x columns elements of x, by `depth` columns of packed u and rows of packed v.
  static void multiply(i64 depth, const T* u, const T* v, T* x, i64 stride) {
    Vector sum[block_rows][block_vectors];
    for (int i = 0; i < block_rows; ++i) {
      for (int j = 0; j < block_vectors; ++j) sum[i][j] = load(x + i * stride + j * lanes);
    }
    for (i64 k = 0; k < depth; ++k, u += block_rows, v += columns) {
      Vector right[block_vectors];
      for (int j = 0; j < block_vectors; ++j) right[j] = load(v + j * lanes);
#pragma GCC unroll 12
      for (int i = 0; i < block_rows; ++i) {
        const Vector left = u[i] - Vector{};  // in every lane
        for (int j = 0; j < block_vectors; ++j) {
          sum[i][j] = S::template plus<Vector>(sum[i][j], S::template times<Vector>(left, right[j]));
        }
      }
    }
    for (int i = 0; i < block_rows; ++i) {
      for (int j = 0; j < block_vectors; ++j) __builtin_memcpy(x + i * stride + j * lanes, &sum[i][j], vector_bytes);
    }
  }

  /// The same for a block that x holds only `rows` x `width` elements of.
  static void multiply_part(i64 depth, const T* u, const T* v, T* x, i64 stride, i64 rows, i64 width) {
    alignas(64) T part[block_rows * columns];
    for (T& value : part) value = S::template zero<T>();
    for (i64 i = 0; i < rows; ++i) {
      for (i64 j = 0; j < width; ++j) part[i * columns + j] = x[i * stride + j];
    }
    multiply(depth, u, v, part, columns);
    for (i64 i = 0; i < rows; ++i) {
      for (i64 j = 0; j < width; ++j) x[i * stride + j] = part[i * columns + j];
    }
  }
};

/// Strips of `block_rows` rows, each column after column; rows that are not there are zero.
template <class S, class T>
void pack_u(const T* u, i64 stride, i64 rows, i64 depth, T* packed) {
  for (i64 strip = 0; strip < rows; strip += block_rows) {
    for (i64 k = 0; k < depth; ++k) {
      for (i64 i = strip; i < strip + block_rows; ++i) {
        *packed++ = i < rows ? u[i * stride + k] : S::template zero<T>();
      }
    }
  }
}

/// Strips as wide as a register block, each row after row; columns that are not there are zero.
template <class S, class T>
void pack_v(const T* v, i64 stride, i64 depth, i64 columns, T* packed) {
  constexpr i64 width = Block<S, T>::columns;
  for (i64 strip = 0; strip < columns; strip += width) {
    const i64 there = columns - strip < width ? columns - strip : width;
    for (i64 k = 0; k < depth; ++k, packed += width) {
      const T* row = v + k * stride + strip;
      for (i64 j = 0; j < there; ++j) packed[j] = row[j];
      for (i64 j = there; j < width; ++j) packed[j] = S::template zero<T>();
    }
  }
}

constexpr i64 least_of(i64 a, i64 b) { return a < b ? a : b; }

template <class S, class T>
void multiply(const Product<T>& p) {
  using B = Block<S, T>;
  for (i64 j0 = 0; j0 < p.columns; j0 += product_columns<T>) {
    const i64 columns = least_of(product_columns<T>, p.columns - j0);
    for (i64 k0 = 0; k0 < p.depth; k0 += product_depth) {
      const i64 depth = least_of(product_depth, p.depth - k0);
      pack_v<S>(p.v + k0 * p.v_stride + j0, p.v_stride, depth, columns, p.packed_v);
      for (i64 i0 = 0; i0 < p.rows; i0 += product_rows) {
        const i64 rows = least_of(product_rows, p.rows - i0);
        pack_u<S>(p.u + i0 * p.u_stride + k0, p.u_stride, rows, depth, p.packed_u);
        for (i64 j = 0; j < columns; j += B::columns) {
          for (i64 i = 0; i < rows; i += block_rows) {
            T* x = p.x + (i0 + i) * p.x_stride + j0 + j;
            const T *u = p.packed_u + i * depth, *v = p.packed_v + j * depth;
            if (i + block_rows <= rows && j + B::columns <= columns) B::multiply(depth, u, v, x, p.x_stride);
            else
              B::multiply_part(depth, u, v, x, p.x_stride, least_of(block_rows, rows - i),
                               least_of(B::columns, columns - j));
          }
        }
      }
    }
  }
}

template <class S, class T>
constexpr Multiply<T> multiply_in() {
  if constexpr (S::template has<T> && !is_linear<S, T>) return multiply<S, T>;
  else return nullptr;
}

ProductKernels product_kernels(int semiring) {
  ProductKernels kernels{};
  Semirings::visit(semiring, [&]<class S>(S) {
    kernels = {multiply_in<S, float>(), multiply_in<S, double>(), multiply_in<S, i16>(), multiply_in<S, i32>(),
               multiply_in<S, i64>()};
  });
  return kernels;
}

}  // namespace terrace::recursive::TERRACE_ISA
