// The terms of a batch's sums by one row of coefficients as matrix products, in f64 (kernel.cuh).
//
// 16 groups of 8 cells of a strip's row are the rows of a matrix; their terms by one row of coefficients are the
// product of the cells around each group with a band of those coefficients, 4 columns at a time. Where a product adds
// its terms one by one in the order of its columns, as check_products_kernel sees, the bits are those of the
// definition, but for what the zeros beside the band contribute:
//
// - Zero times an infinity or NaN, near a cell but not within its radius, gives NaN.
// - A sum that is -0 becomes +0. Nothing else becomes of it: a sum that is not 0 stays as it is.
//
// So sums that are NaN are made again term by term, and those that are +0 where the definition may give -0. Where no
// value is -0, none that is not 0 is below BoxTask::least, and a coefficient is positive, it gives +0. A term that is
// not 0 is at least 2^-960, so its last bit, and with it that of any sum, is above the smallest number: no sum is
// rounded to 0, and one that cancels is +0. Without such terms all values of positive coefficients are +0, and so is
// the sum from the first of them on.
#pragma once

#include "kernels/device/instructions.cuh"
#include "kernels/stencil/cuda/common/chunk.cuh"
#include "kernels/stencil/cuda/wide/shape.cuh"

namespace terrace::stencil {

template <class S>
struct BoxProducts {
  using T = typename S::Value;
  using Chunk = ValueChunk<T>;

  /// The beginning of a sum.
  static __device__ __forceinline__ T nothing() { return T(0); }

  /// Takes what this lane needs of a row of cells: its elements of the matrix of each product.
  static __device__ __forceinline__ void load(T (&near)[S::near_values], const unsigned char* row) {
    constexpr i32 lower = 8 * 8 / S::chunk / S::lane_chunks * 16;  // bytes from a group to the eighth after it
#pragma unroll
    for (i32 k = 0; k < S::products; ++k) {
      near[2 * k] = *reinterpret_cast<const T*>(row + 16 * k);
      near[2 * k + 1] = *reinterpret_cast<const T*>(row + 16 * k + lower);
    }
  }
  /// Adds the terms by one row of coefficients. See BoxTerms.
  static __device__ __forceinline__ void add(T (&sum)[S::rows][S::cells], const T (&near)[S::rows][S::near_values],
                                             i32 first, const T* coefficients) {
#pragma unroll
    for (i32 k = 0; k < S::products; ++k) {
      const T coefficient = coefficients[4 * k];
#pragma unroll
      for (i32 v = 0; v < S::rows; ++v) {
        const T* cells = &near[(first + v) % S::rows][2 * k];
        device::add_matrix_product(sum[v], cells[0], cells[1], coefficient);
      }
    }
  }

  /// Makes sums again whose bits may not be those of the definition. @param ring the warp's @param place in it of the
  /// first row that the batch needs
  static __device__ __forceinline__ void settle(T (&sum)[S::rows][S::cells], const BoxTask<T>& task,
                                                const unsigned char* ring, i32 place) {
    // By the upper half without its sign, less 1: largest for 0 (and for numbers below 2^-1042), then for NaN and
    // infinities, which are made again as well.
    constexpr device::u32 infinity = 0xFFE00000u;
    device::u32 largest = 0;
#pragma unroll
    for (i32 v = 0; v < S::rows; ++v) {
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        const device::u32 size = upper_half(sum[v][c]) - 1;
        largest = size > largest ? size : largest;
      }
    }
    if (!__any_sync(~0u, largest >= infinity - 1)) return;
    bool not_finite = false;
#pragma unroll
    for (i32 v = 0; v < S::rows; ++v) {
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) not_finite |= upper_half(sum[v][c]) >= infinity;
    }
    if (__any_sync(~0u, not_finite) || has_doubtful(task, ring, place)) make_again(sum, task, ring, place);
  }

 private:
  /// The upper half of a value's bits, shifted so that its sign is lost.
  static __device__ __forceinline__ device::u32 upper_half(T value) {
    return static_cast<device::u32>(static_cast<device::u64>(__double_as_longlong(value)) >> 32) << 1;
  }
  static __device__ __forceinline__ const Chunk* row_at(const unsigned char* ring, i32 place, i32 number) {
    const i32 at = place + number * S::row;
    return reinterpret_cast<const Chunk*>(ring + (at >= S::ring ? at - S::ring : at));
  }

  /// True if a value that the batch needs is -0, or neither 0 nor of the least size.
  static __device__ __forceinline__ bool has_doubtful(const BoxTask<T>& task, const unsigned char* ring, i32 place) {
    bool doubtful = false;
#pragma unroll 1
    for (i32 number = 0; number < 2 * S::radius + S::rows; ++number) {
      const Chunk* row = row_at(ring, place, number);
#pragma unroll 1
      for (i32 chunk = static_cast<i32>(threadIdx.x % 32); chunk < S::row_chunks; chunk += 32) {
        const Chunk some = row[S::chunk_at(chunk)];
        for (const T value : some.values) {
          doubtful |= value == 0 ? __double_as_longlong(value) != 0 : fabs(value) < task.least;
        }
      }
    }
    return __any_sync(~0u, doubtful) != 0;
  }

  static __device__ __forceinline__ void make_again(T (&sum)[S::rows][S::cells], const BoxTask<T>& task,
                                                    const unsigned char* ring, i32 place) {
    const i32 lane = static_cast<i32>(threadIdx.x % 32);
#pragma unroll
    for (i32 v = 0; v < S::rows; ++v) {
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        const i32 column = S::own_chunk(lane, c / S::chunk) * S::chunk + c % S::chunk + S::halo - S::radius;
        T again = T(-0.0);
#pragma unroll 1
        for (i32 down = 0; down < S::span; ++down) {
          const Chunk* row = row_at(ring, place, v + down);
          const T* coefficients = task.coefficients + down * BoxTask<T>::row_of(S::span);
#pragma unroll 1
          for (i32 right = 0; right < S::span; ++right) {
            const i32 at = column + right;
            again = fused(coefficients[right], row[S::chunk_at(at / S::chunk)].values[at % S::chunk], again);
          }
        }
        sum[v][c] = again;
      }
    }
  }
};

/// A value for check_products_kernel: near 1, of any exponent, one that cancels, of the smallest and the largest
/// sizes, or zero, by the turn. Not inlined: the compiler takes minutes over its branches in every term.
inline __device__ __noinline__ double value_to_check(device::u32 turn, device::u32 number) {
  device::u64 bits = (device::u64{turn} << 32 | number) * 0x9E3779B97F4A7C15u;
  bits = (bits ^ bits >> 29) * 0xBF58476D1CE4E5B9u;
  bits ^= bits >> 32;
  const device::u64 sign = bits >> 63 << 63, fraction = bits & 0x000FFFFFFFFFFFFFu;
  if (turn % 8 == 1) return __longlong_as_double(sign | (256 + (bits >> 52) % 1024) << 52 | fraction);
  if (turn % 8 == 2) return __longlong_as_double(sign | (1023 + (bits >> 52) % 3) << 52 | fraction >> 50 << 50);
  const bool zeros = turn % 8 == 4 || (turn % 8 == 3 && number >= 96);
  if (zeros && (bits >> 52) % 2 != 0) return __longlong_as_double(sign);
  if (turn % 8 == 3) return __longlong_as_double(sign | (490 + (bits >> 52) % 40) << 52 | fraction);
  if (turn % 8 == 6) return __longlong_as_double(sign | (1533 + (bits >> 52) % 3) << 52 | fraction);
  if (turn % 8 == 5 && number >= 64) return __longlong_as_double(sign | fraction >> (bits >> 52) % 52);
  return __longlong_as_double(sign | device::u64{1023} << 52 | fraction);
}

/// A warp: makes matrix products of many kinds of values, and the same sums term by term in the order of the columns;
/// *differ becomes 1 if the bits of any two numbers differ, else 0.
template <class T>
__global__ void check_products_kernel(device::u32* differ) {
  const device::u32 lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  bool wrong = false;
#pragma unroll 1
  for (device::u32 turn = 0; turn < 256; ++turn) {
    const auto value = [&](device::u32 number) { return value_to_check(turn, number); };
    const auto left = [&](device::u32 row, device::u32 column) { return value(4 * row + column); };
    const auto right = [&](device::u32 row, device::u32 column) { return value(64 + 8 * row + column); };
    double made[4], wanted[4];
#pragma unroll
    for (device::u32 i = 0; i < 4; ++i) {
      const device::u32 row = g + i / 2 * 8, column = 2 * t + i % 2;
      made[i] = value(96 + 8 * row + column);
      wanted[i] = made[i];
#pragma unroll
      for (device::u32 k = 0; k < 4; ++k) wanted[i] = fused(left(row, k), right(k, column), wanted[i]);
    }
    device::add_matrix_product(made, left(g, t), left(g + 8, t), right(t, g));
#pragma unroll
    for (device::u32 i = 0; i < 4; ++i) {
      const bool is_number = made[i] == made[i] || wanted[i] == wanted[i];
      wrong |= is_number && __double_as_longlong(made[i]) != __double_as_longlong(wanted[i]);
    }
  }
  wrong = __any_sync(~0u, wrong);
  if (lane == 0) *differ = wrong ? 1 : 0;
}

}  // namespace terrace::stencil
