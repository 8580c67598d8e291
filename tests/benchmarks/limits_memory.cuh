// The accesses of memory that limits_cuda.cu times: words of 16 bytes that are read and written, and words whose
// reader cannot begin before the one before it has come.
#pragma once

#include "kernels/device/instructions.cuh"

namespace terrace::limits {

using device::i64;
using device::u32;
using device::u64;

/// Words of 16 bytes: {index, 1}.
struct alignas(16) Pair {
  u64 index, one;
};

/// pairs[i] becomes {i, 1}, i < count, `passes` times.
__global__ void __launch_bounds__(512) write_kernel(Pair* pairs, i64 count, int passes) {
  const i64 stride = i64{gridDim.x} * blockDim.x, first = i64{blockIdx.x} * blockDim.x + threadIdx.x;
  for (int pass = 0; pass < passes; ++pass) {
    for (i64 i = first; i < count; i += stride) {
      const u64 at = static_cast<u64>(i);
      const u32 words[4] = {static_cast<u32>(at), static_cast<u32>(at >> 32), 1, 0};
      device::store_once(pairs + i, words);
    }
  }
}

/// Reads the pairs past L1, `passes` times. @param sums of indices and ones, one a thread
__global__ void __launch_bounds__(512) read_kernel(const Pair* pairs, i64 count, int passes, u64* sums) {
  constexpr int together = 8;
  const i64 stride = i64{gridDim.x} * blockDim.x, first = i64{blockIdx.x} * blockDim.x + threadIdx.x;
  u64 sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    i64 i = first;
    for (; i + (together - 1) * stride < count; i += together * stride) {
      u64 index[together], one[together];
#pragma unroll
      for (int n = 0; n < together; ++n) {
        device::load_past_l1(reinterpret_cast<const u64*>(pairs + i + n * stride), index[n], one[n]);
      }
#pragma unroll
      for (int n = 0; n < together; ++n) sum += index[n] + one[n];
    }
    for (; i < count; i += stride) {
      u64 index, one;
      device::load_past_l1(reinterpret_cast<const u64*>(pairs + i), index, one);
      sum += index + one;
    }
  }
  sums[first] = sum;
}

/// Copies the pairs, `passes` times.
__global__ void __launch_bounds__(512) copy_kernel(Pair* to, const Pair* from, i64 count, int passes) {
  constexpr int together = 4;
  const i64 stride = i64{gridDim.x} * blockDim.x, first = i64{blockIdx.x} * blockDim.x + threadIdx.x;
  for (int pass = 0; pass < passes; ++pass) {
    for (i64 i = first; i < count; i += together * stride) {
      Pair read[together];
#pragma unroll
      for (int n = 0; n < together; ++n) {
        if (const i64 at = i + n * stride; at < count) {
          device::load_past_l1(reinterpret_cast<const u64*>(from + at), read[n].index, read[n].one);
        }
      }
#pragma unroll
      for (int n = 0; n < together; ++n) {
        if (const i64 at = i + n * stride; at < count) to[at] = read[n];
      }
    }
  }
}

/// Words of 16 bytes that read_shared_kernel has, in two halves, and how many of them a round reads.
inline constexpr u32 shared_words = 2048, shared_reads = 8;

/// The word of the first half that a thread reads in a turn; it also reads the one as far in the second half.
__host__ __device__ inline u32 shared_place(u32 thread, u32 turn) { return (thread + 8 * turn) % (shared_words / 2); }

/// Part 0 to 3 of word `at`.
__host__ __device__ inline u32 shared_part(u32 at, u32 part) { return (at + 1) * (4 * part + 3); }

/// Each thread reads `rounds` x `shared_reads` words without bank conflicts: eight lanes, whose words come together,
/// read 128 bytes that follow one another. @param out what each thread read, combined by exclusive or
__global__ void __launch_bounds__(512) read_shared_kernel(u32* out, int rounds) {
  __shared__ uint4 words[shared_words];
  for (u32 i = threadIdx.x; i < shared_words; i += blockDim.x) {
    words[i] = {shared_part(i, 0), shared_part(i, 1), shared_part(i, 2), shared_part(i, 3)};
  }
  __syncthreads();
  u32 read = 0;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (u32 turn = 0; turn < shared_reads / 2; ++turn) {
      const u32 at = shared_place(threadIdx.x, static_cast<u32>(round) * (shared_reads / 2) + turn);
      const uint4 one = words[at], other = words[at + shared_words / 2];
      read ^= one.x ^ one.y ^ one.z ^ one.w ^ other.x ^ other.y ^ other.z ^ other.w;
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = read;
}

/// Clocks and nanoseconds of a walk, and where it ended.
struct Walked {
  u64 clocks, nanoseconds, end;
};

/// Takes the time of walk() of one thread.
template <class Walk>
__device__ inline void time_walk(Walked* walked, const Walk& walk) {
  const u64 nanoseconds = device::clock_nanoseconds();
  const long long clocks = clock64();
  walked->end = walk();
  walked->clocks = static_cast<u64>(clock64() - clocks);
  walked->nanoseconds = device::clock_nanoseconds() - nanoseconds;
}

/// Makes a ring: the word at places[i] has the address of that at places[i + 1].
__global__ void link_kernel(u64* words, const u64* places, i64 count) {
  const i64 i = i64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) words[places[i]] = reinterpret_cast<u64>(words + places[i + 1 == count ? 0 : i + 1]);
}

// Walks of one thread, `steps` steps, a multiple of 16: each needs what the one before it gave.

/// Words of device memory that a ring leads through, past L1.
__global__ void walk_memory_kernel(Walked* walked, const u64* first, int steps) {
  time_walk(walked, [&] {
    u64 at = reinterpret_cast<u64>(first);
#pragma unroll 16
    for (int step = 0; step < steps; ++step) at = device::load_past_l1(reinterpret_cast<const u64*>(at));
    return at;
  });
}

/// A word of the host's memory, which has its own address there, read again and again. Also by several thread blocks
/// at once; each has a `walked`.
__global__ void walk_host_kernel(Walked* walked, const u64* word, int steps) {
  time_walk(walked + blockIdx.x, [&] {
    u64 at = reinterpret_cast<u64>(word);
#pragma unroll 16
    for (int step = 0; step < steps; ++step) at = device::load_system(reinterpret_cast<const u64*>(at));
    return at;
  });
}

/// Words of shared memory.
__global__ void walk_shared_kernel(Walked* walked, int steps) {
  __shared__ u32 next[1024];
  for (u32 i = 0; i < 1024; ++i) next[i] = device::shared_address(next + (i + 33) % 1024);
  __syncthreads();
  time_walk(walked, [&] {
    u32 at = device::shared_address(next);
#pragma unroll 16
    for (int step = 0; step < steps; ++step) at = device::load_shared(at);
    return u64{at - device::shared_address(next)};
  });
}

/// Operations of a warp: each a struct with apply(x, a, b), x from a + lane on. Takes the first lane's time.
template <class Step>
__global__ void walk_numbers_kernel(Walked* walked, int steps, typename Step::Value a, typename Step::Value b) {
  const auto walk = [&] {
    typename Step::Value x = a + static_cast<typename Step::Value>(threadIdx.x);
#pragma unroll 16
    for (int step = 0; step < steps; ++step) x = Step::apply(x, a, b);
    return static_cast<u64>(x);
  };
  Walked own;
  time_walk(&own, walk);
  if (threadIdx.x == 0) *walked = own;
}

struct MultiplyAddStep {
  using Value = float;
  static __device__ Value apply(Value x, Value a, Value b) { return fmaf(x, a, b); }
};
struct MultiplyAddF64Step {
  using Value = double;
  static __device__ Value apply(Value x, Value a, Value b) { return fma(x, a, b); }
};
struct AddMaximumStep {
  using Value = device::i32;
  static __device__ Value apply(Value x, Value a, Value b) { return __viaddmax_s32(x, a, b); }
};
struct ShuffleStep {
  using Value = u32;
  static __device__ Value apply(Value x, Value, Value) { return __shfl_xor_sync(~0u, x, 1); }
};

/// Does nothing: its launch is timed.
__global__ void empty_kernel() {}

}  // namespace terrace::limits
