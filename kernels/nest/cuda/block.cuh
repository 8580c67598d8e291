// The kernels of CUDA that every method of nests has: a block is begun, what no statement writes is made, and its
// result is reported. Compiled at run time with the struct N of a nest (written/work.hpp).
#pragma once

#include "kernels/launch/port.cuh"
#include "kernels/nest/cuda/state.hpp"
#include "kernels/nest/written/keep.hpp"

namespace terrace::nest {

using device::u64;

/// One thread block: begins block `block` unless the launch is to stop or has stopped before it.
template <class N>
__global__ void begin_nest_kernel(device::Port port, NestState* state, u64 block) {
  __shared__ int begins;
  if (threadIdx.x == 0) {
    begins = device::begin_next(port, block, state->begun) ? 1 : 0;
    state->begun = static_cast<u64>(begins);
    state->aborted = state->failed = state->lock = 0;
    state->least = ~u64{0};
  }
  __syncthreads();
  if (begins == 0) return;
  const auto* from = reinterpret_cast<const u64*>(static_cast<const char*>(port.descriptors) +
                                                  block % port.ring * port.descriptor_bytes);
  auto *task = reinterpret_cast<u64*>(&state->task), *result = reinterpret_cast<u64*>(&state->result);
  for (unsigned n = threadIdx.x; n < sizeof(NestTask) / sizeof(u64); n += blockDim.x)
    task[n] = device::load_system(from + n);
  for (unsigned n = threadIdx.x; n < sizeof(NestResult) / sizeof(u64); n += blockDim.x) result[n] = 0;
}

/// One thread block: reports block `block`, the launch's first one that is not reported.
template <class N>
__global__ void report_nest_kernel(device::Port port, const NestState* state, u64 block) {
  if (state->begun == 0 || state->aborted != 0) return;
  auto* to = reinterpret_cast<u64*>(device::result_of<NestResult>(port, block));
  const auto* from = reinterpret_cast<const u64*>(&state->result);
  for (unsigned n = threadIdx.x; n < sizeof(NestResult) / sizeof(u64); n += blockDim.x) to[n] = from[n];
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) device::report_next(port, block);
}

/// Calls change() while no other thread block does. Only one thread of a thread block at a time.
template <class Change>
__device__ void change_result(NestState* state, const Change& change) {
  while (atomicCAS(&state->lock, u64{0}, u64{1}) != 0) {
  }
  __threadfence();
  change();
  __threadfence();
  atomicExch(&state->lock, u64{0});
}

/// Notes the reason why a cell has no value, unless one before it has none. @param cell its number
__device__ inline void note_failure(NestState* state, u64 cell, const NestFailure& failure) {
  change_result(state, [&] {
    if (device::load_relaxed(&state->least) < cell) return;
    device::store_relaxed(&state->least, cell);
    state->result.failure = failure;
  });
}

/// True if the best element or the corner of an array is wanted.
template <class N, int s = 0>
__device__ constexpr bool keeps_any() {
  if constexpr (s < N::statements) {
    using S = typename N::template Statement<s>;
    return S::best != 0 || S::has_corner || keeps_any<N, s + 1>();
  }
  return false;
}

/// Keeps the corners that a thread has found.
template <class N>
__device__ void store_corners(NestState* state, const Found& found) {
  for (int a = 0; a < N::arrays; ++a) {
    if (found.has_corner[a] == 0) continue;
    state->result.corner[a] = found.corner[a];
    state->result.has_corner[a] = 1;
  }
}

/// Makes what no statement writes. Any threads.
template <class N>
__global__ void make_rest_kernel(NestState* state, TileWork work) {
  if (state->begun == 0) return;
  const i64 lane = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x,
            lanes = static_cast<i64>(gridDim.x) * blockDim.x;
  // Elements are numbered part by part, and corners come last, as the CPU makes them.
  constexpr int part_bits = 48;
  NestFailure failure{};
  bool fails = false;
  u64 number = 0;
  for (int n = 0; n < state->task.part_count && !fails; ++n) {
    if (state->task.parts[n].statement >= 0) continue;
    const i64 failed = fill_part_of<N>(work, state->task.parts[n], lane, lanes, failure);
    fails = failed >= 0;
    if (fails) number = (static_cast<u64>(n) << part_bits) + static_cast<u64>(failed);
  }
  if (lane == 0 && !fails && state->task.makes_corners != 0) {
    Found found{};
    fails = !make_corners<N>(work, found, failure);
    number = static_cast<u64>(most_parts) << part_bits;
    store_corners<N>(state, found);
  }
  // One thread of a thread block at a time.
  for (unsigned thread = 0; thread < blockDim.x; ++thread) {
    if (__syncthreads_or(fails ? 1 : 0) == 0) return;
    if (thread != threadIdx.x || !fails) continue;
    state->failed = 1;
    note_failure(state, number, failure);
  }
}

/// Folds the best elements that threads have found. @param room for one of each thread, a power of two of them
template <class N, int s = 0>
__device__ void fold_best(NestState* state, Found& found, BestElement* room) {
  if constexpr (s < N::statements) {
    using S = typename N::template Statement<s>;
    if constexpr (S::best != 0) {
      using T = typename S::Type;
      __syncthreads();
      room[threadIdx.x] = found.best[S::array];
      for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x >= half || room[threadIdx.x + half].is_found == 0) continue;
        const BestElement& other = room[threadIdx.x + half];
        offer_value(room[threadIdx.x], S::best, other.at, from_word<T>(other.value));
      }
      if (threadIdx.x == 0 && room[0].is_found != 0) {
        change_result(state, [&] {
          offer_value(state->result.best[S::array], S::best, room[0].at, from_word<T>(room[0].value));
        });
      }
      found.best[S::array].is_found = 0;
      __syncthreads();
    }
    fold_best<N, s + 1>(state, found, room);
  }
}

/// True if the host wants no result any more (one thread a thread block). The first thread block alone asks the host.
__device__ inline bool is_aborted(NestState* state, const u64* aborts) {
  if (blockIdx.x == 0 && device::load_system(aborts) != 0) device::store_relaxed(&state->aborted, u64{1});
  return device::load_relaxed(&state->aborted) != 0;
}

}  // namespace terrace::nest
