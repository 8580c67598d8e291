// The arithmetic that limits_cuda.cu times: operations on eight values a thread, each result of which later ones
// need, and tensor instructions.
#pragma once

#include "kernels/device/bit_matrices.cuh"
#include "kernels/device/ceilings.hpp"
#include "kernels/device/instructions.cuh"

#if defined(__CUDA_ARCH__)
#define TERRACE_LIMITS_POPC(x) __popc(x)
#else
#define TERRACE_LIMITS_POPC(x) __builtin_popcount(x)
#endif

namespace terrace::limits {

using device::i32;
using device::u32;
using device::u64;

/// Values of a thread, a power of 2, and rounds that the loop's body has.
inline constexpr int values = 8, unrolled = 16;

// An operation: x is the value that it replaces, y and z are the two after it (x of the first ones follow the last
// one), a and b are the same all the time. So none can be merged with another: each result is read by three.
// `operations` is how many of the named ones a call is.

struct F32MultiplyAdd {
  using Value = float;
  static constexpr const char* name = device::ceilings::f32_multiply_add;
  static constexpr double operations = 1;
  __host__ __device__ static Value apply(Value x, Value, Value, Value a, Value b) { return fmaf(x, a, b); }
};

struct F32Add {
  using Value = float;
  static constexpr const char* name = device::ceilings::f32_add;
  static constexpr double operations = 1;
  __host__ __device__ static Value apply(Value x, Value, Value, Value, Value b) { return x + b; }
};

struct F32Minimum {
  using Value = float;
  static constexpr const char* name = device::ceilings::f32_minimum;
  static constexpr double operations = 1;
  __host__ __device__ static Value apply(Value x, Value y, Value, Value, Value) { return fminf(x, y); }
};

struct F32AddMinimum {
  using Value = float;
  static constexpr const char* name = device::ceilings::f32_add_minimum;
  static constexpr double operations = 1;
  __host__ __device__ static Value apply(Value x, Value y, Value, Value, Value b) { return fminf(x, y + b); }
};

/// As products of min_plus in f32 do it: two sums, and one minimum of three of their bits.
struct F32AddMinimumOfThree {
  using Value = float;
  static constexpr const char* name = device::ceilings::f32_add_minimum_of_three;
  static constexpr double operations = 2;
  __host__ __device__ static Value apply(Value x, Value y, Value z, Value a, Value b) {
#if defined(__CUDA_ARCH__)
    return __int_as_float(__vimin3_s32(__float_as_int(x), __float_as_int(y + a), __float_as_int(z + b)));
#else
    return fminf(x, fminf(y + a, z + b));
#endif
  }
};

struct F64MultiplyAdd {
  using Value = double;
  static constexpr const char* name = device::ceilings::f64_multiply_add;
  static constexpr double operations = 1;
  __host__ __device__ static Value apply(Value x, Value, Value, Value a, Value b) { return fma(x, a, b); }
};

struct F64Add {
  using Value = double;
  static constexpr const char* name = device::ceilings::f64_add;
  static constexpr double operations = 1;
  __host__ __device__ static Value apply(Value x, Value, Value, Value, Value b) { return x + b; }
};

struct F64Minimum {
  using Value = double;
  static constexpr const char* name = device::ceilings::f64_minimum;
  static constexpr double operations = 1;
  __host__ __device__ static Value apply(Value x, Value y, Value, Value, Value) { return x < y ? x : y; }
};

struct I32Add {
  using Value = u32;
  static constexpr const char* name = device::ceilings::i32_add;
  static constexpr double operations = 1;
  __host__ __device__ static Value apply(Value x, Value y, Value, Value, Value) { return x + y; }
};

struct I32MultiplyAdd {
  using Value = u32;
  static constexpr const char* name = device::ceilings::i32_multiply_add;
  static constexpr double operations = 1;
  __host__ __device__ static Value apply(Value x, Value y, Value z, Value, Value) { return x * y + z; }
};

struct I32Minimum {
  using Value = i32;
  static constexpr const char* name = device::ceilings::i32_minimum;
  static constexpr double operations = 1;
  __host__ __device__ static Value apply(Value x, Value y, Value, Value, Value) { return x < y ? x : y; }
};

struct I32MaximumOfThree {
  using Value = i32;
  static constexpr const char* name = device::ceilings::i32_maximum_of_three;
  static constexpr double operations = 1;
  __host__ __device__ static Value apply(Value x, Value y, Value z, Value, Value) { return __vimax3_s32(x, y, z); }
};

struct I32AddMaximum {
  using Value = i32;
  static constexpr const char* name = device::ceilings::i32_add_maximum;
  static constexpr double operations = 1;
  __host__ __device__ static Value apply(Value x, Value y, Value, Value a, Value) { return __viaddmax_s32(y, a, x); }
};

struct I16x2AddMaximum {
  using Value = u32;
  static constexpr const char* name = device::ceilings::i16x2_add_maximum;
  static constexpr double operations = 1;
  __host__ __device__ static Value apply(Value x, Value y, Value, Value a, Value) {
    return __viaddmax_s16x2(y, a, x);
  }
};

struct I16x2MaximumOfThree {
  using Value = u32;
  static constexpr const char* name = device::ceilings::i16x2_maximum_of_three;
  static constexpr double operations = 1;
  __host__ __device__ static Value apply(Value x, Value y, Value z, Value, Value) { return __vimax3_s16x2(x, y, z); }
};

struct I64Add {
  using Value = u64;
  static constexpr const char* name = device::ceilings::i64_add;
  static constexpr double operations = 1;
  __host__ __device__ static Value apply(Value x, Value y, Value, Value, Value) { return x + y; }
};

struct I64Minimum {
  using Value = device::i64;
  static constexpr const char* name = device::ceilings::i64_minimum;
  static constexpr double operations = 1;
  __host__ __device__ static Value apply(Value x, Value y, Value, Value, Value) { return x < y ? x : y; }
};

struct Logic {
  using Value = u32;
  static constexpr const char* name = device::ceilings::logic;
  static constexpr double operations = 1;
  __host__ __device__ static Value apply(Value x, Value y, Value z, Value, Value) { return (x & y) ^ z; }
};

struct BitCount {
  using Value = u32;
  static constexpr const char* name = device::ceilings::popc;
  static constexpr double operations = 1;
  // The sum takes no time beside it, and without it the count would not change for long.
  __host__ __device__ static Value apply(Value x, Value y, Value, Value, Value) {
    return static_cast<u32>(TERRACE_LIMITS_POPC(x)) + y;
  }
};

/// Values of eight that a thread begins with: small positive ones, which differ.
template <class Value>
__host__ __device__ inline Value first_value(u32 thread, int i) {
  return static_cast<Value>(thread % 1021 * 8 + static_cast<u32>(i) + 1);
}

template <class Operation>
__host__ __device__ inline void apply_round(typename Operation::Value (&x)[values], typename Operation::Value a,
                                            typename Operation::Value b) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int i = 0; i < values; ++i) {
    x[i] = Operation::apply(x[i], x[(i + 1) % values], x[(i + 2) % values], a, b);
  }
}

/// `rounds` x `unrolled` times each of a thread's values becomes a new one. @param out `values` of each thread
template <class Operation>
__global__ void __launch_bounds__(256) apply_kernel(typename Operation::Value* out, int rounds,
                                                    typename Operation::Value a, typename Operation::Value b) {
  const u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
  typename Operation::Value x[values];
#pragma unroll
  for (int i = 0; i < values; ++i) x[i] = first_value<typename Operation::Value>(thread, i);
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int turn = 0; turn < unrolled; ++turn) apply_round<Operation>(x, a, b);
  }
#pragma unroll
  for (int i = 0; i < values; ++i) out[thread * u64{values} + i] = x[i];
}

/// The same with a shuffle for each value: lane n gets that of lane n ^ 1.
__global__ void __launch_bounds__(256) shuffle_kernel(u32* out, int rounds) {
  const u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
  u32 x[values];
#pragma unroll
  for (int i = 0; i < values; ++i) x[i] = first_value<u32>(thread, i);
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int turn = 0; turn < unrolled; ++turn) {
#pragma unroll
      for (int i = 0; i < values; ++i) x[i] = __shfl_xor_sync(~0u, x[i], 1);
    }
  }
#pragma unroll
  for (int i = 0; i < values; ++i) out[thread * u64{values} + i] = x[i];
}

/// Tensor instructions: `left` and `right` fill the two matrices, `added` is what one then adds to each element.
struct BitProduct {
  using Value = i32;
  using Factor = u32;
  static constexpr const char* name = device::ceilings::bit_products;
  static constexpr double operations = 16 * 8 * 256;
  static Value added(Factor left, Factor right) { return 8 * __builtin_popcount(left & right); }
  __device__ static void add(Value (&sums)[4], Factor left, Factor right) {
    const u32 rows[4] = {left, left, left, left};
    device::add_common_bits(sums, rows, right, right);
  }
};

struct F64Product {
  using Value = double;
  using Factor = double;
  static constexpr const char* name = device::ceilings::f64_products;
  static constexpr double operations = 16 * 8 * 4;
  static Value added(Factor left, Factor right) { return 4 * left * right; }
  __device__ static void add(Value (&sums)[4], Factor left, Factor right) {
    device::add_matrix_product(sums, left, left, right);
  }
};

template <class Product>
__host__ __device__ inline typename Product::Value first_sum(u32 thread, int i) {
  return static_cast<typename Product::Value>(thread % 1021 + static_cast<u32>(i));
}

/// `rounds` x `unrolled` products are added to each of the sums of a warp, `values` / 2 matrices of 16 x 8.
/// @param out 2 x `values` of each thread
template <class Product>
__global__ void __launch_bounds__(256)
    multiply_kernel(typename Product::Value* out, int rounds, typename Product::Factor left,
                    typename Product::Factor right) {
  constexpr int matrices = values / 2;
  const u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
  typename Product::Value sums[matrices][4];
#pragma unroll
  for (int i = 0; i < 4 * matrices; ++i) sums[i / 4][i % 4] = first_sum<Product>(thread, i);
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int turn = 0; turn < unrolled; ++turn) {
#pragma unroll
      for (int i = 0; i < matrices; ++i) Product::add(sums[i], left, right);
    }
  }
#pragma unroll
  for (int i = 0; i < 4 * matrices; ++i) out[thread * u64{4 * matrices} + i] = sums[i / 4][i % 4];
}

}  // namespace terrace::limits
