// The additions of nvcc to C++ that Terrace's kernels use, for kernels that are compiled for the simulated device.
// Included before everything else in their sources.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/simulated_gpu/thread_block.hpp"

// The standard library's headers that use this name as an attribute have been read.
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline
#define __device__
#define __host__
#define __global__
#define __constant__
#define __grid_constant__
#define __launch_bounds__(...)
// Thread blocks are threads: thread-local data belong to one thread block.
#define __shared__ static thread_local
#define __CUDACC__ 1
#define __CUDA_ARCH__ 900

struct uint2 {
  unsigned x, y;
};
struct int4 {
  int x, y, z, w;
};

namespace simulated_gpu {

struct ThreadIndex {
  struct {
    operator unsigned() const { return ThreadBlock::current().thread(); }
  } x;
};
struct BlockIndex {
  struct {
    operator unsigned() const { return ThreadBlock::current().index(); }
  } x;
};
struct BlockShape {
  struct {
    operator unsigned() const { return ThreadBlock::current().threads(); }
  } x;
};
struct GridSize {
  struct {
    operator unsigned() const { return ThreadBlock::current().blocks(); }
  } x;
};

template <class T>
std::uint64_t to_bits(T value) {
  static_assert(sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// The value that lane `lane` passed.
template <class T>
T value_of(T value, unsigned lane) {
  return from_bits<T>(ThreadBlock::current().exchange(to_bits(value))[lane % warp_size]);
}

}  // namespace simulated_gpu

inline constexpr simulated_gpu::ThreadIndex threadIdx;
inline constexpr simulated_gpu::BlockIndex blockIdx;
inline constexpr simulated_gpu::BlockShape blockDim;
inline constexpr simulated_gpu::GridSize gridDim;

// Warps and thread blocks. Masks always cover whole warps.
inline void __syncwarp(unsigned = simulated_gpu::all_lanes) { simulated_gpu::ThreadBlock::current().sync_warp(); }
inline void __syncthreads() { simulated_gpu::ThreadBlock::current().sync_block(); }
inline int __syncthreads_or(int value) { return simulated_gpu::ThreadBlock::current().any_in_block(value != 0); }
template <class T>
T __shfl_sync(unsigned, T value, int lane) {
  return simulated_gpu::value_of(value, static_cast<unsigned>(lane));
}
template <class T>
T __shfl_up_sync(unsigned, T value, unsigned distance) {
  const unsigned lane = simulated_gpu::ThreadBlock::current().lane();
  return simulated_gpu::value_of(value, lane >= distance ? lane - distance : lane);
}
template <class T>
T __shfl_down_sync(unsigned, T value, unsigned distance) {
  const unsigned lane = simulated_gpu::ThreadBlock::current().lane();
  return simulated_gpu::value_of(value, lane + distance < simulated_gpu::warp_size ? lane + distance : lane);
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  return simulated_gpu::value_of(value, simulated_gpu::ThreadBlock::current().lane() ^ static_cast<unsigned>(mask));
}
inline unsigned __ballot_sync(unsigned, bool predicate) {
  return simulated_gpu::ThreadBlock::current().ballot(predicate);
}
inline int __any_sync(unsigned mask, bool predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, bool predicate) {
  return __ballot_sync(mask, predicate) == simulated_gpu::all_lanes;
}
inline int __reduce_max_sync(unsigned, int value) {
  const std::uint64_t* all = simulated_gpu::ThreadBlock::current().exchange(simulated_gpu::to_bits(value));
  for (unsigned lane = 0; lane < simulated_gpu::warp_size; ++lane) {
    value = std::max(value, simulated_gpu::from_bits<int>(all[lane]));
  }
  return value;
}
inline int __reduce_add_sync(unsigned, int value) {
  const std::uint64_t* all = simulated_gpu::ThreadBlock::current().exchange(simulated_gpu::to_bits(value));
  unsigned sum = 0;
  for (unsigned lane = 0; lane < simulated_gpu::warp_size; ++lane) {
    sum += simulated_gpu::from_bits<unsigned>(all[lane]);
  }
  return static_cast<int>(sum);
}

// Time and memory.
inline void __nanosleep(unsigned nanoseconds) { simulated_gpu::ThreadBlock::current().sleep(nanoseconds); }
inline long long clock64() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

template <class T>
T atomicAdd(T* word, T value) {
  simulated_gpu::ThreadBlock::current().maybe_pause(8);
  return __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
}
template <class T>
T atomicOr(T* word, T value) {
  return __atomic_fetch_or(word, value, __ATOMIC_SEQ_CST);
}
template <class T>
T atomicExch(T* word, T value) {
  simulated_gpu::ThreadBlock::current().maybe_pause(8);
  return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
}
template <class T>
T atomicCAS(T* word, T expected, T value) {
  simulated_gpu::ThreadBlock::current().maybe_pause(8);
  __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}
template <class T>
T atomicMax(T* word, T value) {
  simulated_gpu::ThreadBlock::current().maybe_pause(8);
  T old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  while (old < value && !__atomic_compare_exchange_n(word, &old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return old;
}
template <class T>
T atomicMin(T* word, T value) {
  simulated_gpu::ThreadBlock::current().maybe_pause(8);
  T old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  while (value < old && !__atomic_compare_exchange_n(word, &old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return old;
}

// Arithmetic.
inline int __popc(unsigned word) { return std::popcount(word); }
inline int __popcll(unsigned long long word) { return std::popcount(word); }
inline int __ffs(int word) { return __builtin_ffs(word); }
inline int __clz(int word) { return std::countl_zero(static_cast<unsigned>(word)); }
inline unsigned __brev(unsigned word) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (word >> bit & 1u) << (31 - bit);
  return reversed;
}
inline int simulated_sum(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
inline int __vimax3_s32(int a, int b, int c) { return std::max({a, b, c}); }
inline int __vimin3_s32(int a, int b, int c) { return std::min({a, b, c}); }
inline int __viaddmax_s32(int a, int b, int c) { return std::max(simulated_sum(a, b), c); }
inline int __viaddmax_s32_relu(int a, int b, int c) { return std::max({simulated_sum(a, b), c, 0}); }
inline int __viaddmin_s32(int a, int b, int c) { return std::min(simulated_sum(a, b), c); }
/// Both halves of words: the larger, or the smaller, of a + b and c.
inline unsigned simulated_halves(unsigned a, unsigned b, unsigned c, bool larger) {
  unsigned halves = 0;
  for (int shift = 0; shift < 32; shift += 16) {
    const auto half = [&](unsigned word) { return static_cast<short>(word >> shift); };
    const short sum = static_cast<short>(half(a) + half(b));
    const short chosen = larger ? std::max(sum, half(c)) : std::min(sum, half(c));
    halves |= static_cast<unsigned>(static_cast<unsigned short>(chosen)) << shift;
  }
  return halves;
}
inline unsigned __viaddmin_s16x2(unsigned a, unsigned b, unsigned c) { return simulated_halves(a, b, c, false); }
inline unsigned __viaddmax_s16x2(unsigned a, unsigned b, unsigned c) { return simulated_halves(a, b, c, true); }
inline unsigned __vmaxs2(unsigned a, unsigned b) { return __viaddmax_s16x2(a, 0, b); }
inline unsigned __vimax3_s16x2(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__vmaxs2(a, b), c); }
inline unsigned __vminu2(unsigned a, unsigned b) {
  return std::min(a & 0xFFFFu, b & 0xFFFFu) | std::min(a >> 16, b >> 16) << 16;
}
/// Four of the eight bytes of a and b, by the lower three of each four bits of the selectors.
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selectors) {
  const std::uint64_t from = static_cast<std::uint64_t>(b) << 32 | a;
  unsigned bytes = 0;
  for (int i = 0; i < 4; ++i) {
    bytes |= (static_cast<unsigned>(from >> 8 * (selectors >> 4 * i & 7u)) & 255u) << 8 * i;
  }
  return bytes;
}
/// Byte `index` of a word, signed; for `simulated_half`, 16 bits of it.
inline int simulated_byte(int word, int index) { return static_cast<signed char>(word >> 8 * index); }
inline int simulated_half(int word, int index) { return static_cast<short>(word >> 16 * index); }
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i) c = simulated_sum(c, simulated_byte(a, i) * simulated_byte(b, i));
  return c;
}
inline int __dp2a_lo(int a, int b, int c) {
  return simulated_sum(c, simulated_half(a, 0) * simulated_byte(b, 0) + simulated_half(a, 1) * simulated_byte(b, 1));
}
inline int __dp2a_hi(int a, int b, int c) {
  return simulated_sum(c, simulated_half(a, 0) * simulated_byte(b, 2) + simulated_half(a, 1) * simulated_byte(b, 3));
}

inline constexpr float __fadd_rn(float a, float b) { return a + b; }
inline constexpr float __fsub_rn(float a, float b) { return a - b; }
inline constexpr float __fmul_rn(float a, float b) { return a * b; }
inline constexpr float __fdiv_rn(float a, float b) { return a / b; }
inline constexpr float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline constexpr double __dadd_rn(double a, double b) { return a + b; }
inline constexpr double __dsub_rn(double a, double b) { return a - b; }
inline constexpr double __dmul_rn(double a, double b) { return a * b; }
inline constexpr double __ddiv_rn(double a, double b) { return a / b; }
inline constexpr double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }
inline float __int_as_float(int bits) { return std::bit_cast<float>(bits); }
inline int __float_as_int(float value) { return std::bit_cast<int>(value); }
inline float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
inline unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }
inline long long __double_as_longlong(double value) { return std::bit_cast<long long>(value); }
inline int __double2loint(double value) { return static_cast<int>(std::bit_cast<std::uint64_t>(value)); }
inline int __double2hiint(double value) { return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 32); }
inline double __longlong_as_double(long long bits) { return std::bit_cast<double>(bits); }
inline double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<unsigned>(high)) << 32 |
                               static_cast<unsigned>(low));
}
