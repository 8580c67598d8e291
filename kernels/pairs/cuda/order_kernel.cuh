// The steps before and after the pairs of a block on CUDA: the block is begun, its pairs are put in an order, the
// longest first, and it is reported.
#pragma once

#include "kernels/launch/port.cuh"
#include "kernels/pairs/task.hpp"

namespace terrace::pairs {

/// State that the kernels of one block share, in device memory.
struct PairsState {
  u64 begun;        // 0: the launch was stopped, and the block's kernels do nothing
  u64 aborted;      // not 0: the host aborts, and warps leave
  u64 ticket;       // the next place of the order
  u64 pairs;        // places of the order
  u64 stopped;      // pairs that were left out, or left on the way, since they exceed the limit
  u32 ones, zeros;  // bits that some letter of the block has, and that some letter has not
};

inline constexpr u32 order_threads = 256;
/// Pairs of lengths that differ by less than a quarter are in one bucket.
inline constexpr i32 length_classes = 64;
inline constexpr i32 order_buckets = length_classes * length_classes;

__device__ inline i64 length_of(const i64* begin, i32 item) { return begin[item + 1] - begin[item]; }

/// The class of a length; longer items have smaller ones.
__device__ inline i32 class_of(i64 length) {
  const u32 number = static_cast<u32>(length) + 4;
  const i32 bits = 32 - __clz(static_cast<i32>(number));
  const i32 rising = (bits - 3) * 4 + static_cast<i32>(number >> (bits - 3) & 3u);
  return rising < length_classes ? length_classes - 1 - rising : 0;
}

__device__ inline i32 bucket_of(const PairsTask& task, i64 number) {
  const Pair pair = pair_of(task, number);
  return class_of(length_of(task.row_begin, pair.row)) * length_classes +
         class_of(length_of(task.column_begin, pair.column));
}

/// One thread block: begins block `block` unless the launch is to stop or has stopped before it.
template <class P>
__global__ void begin_pairs_kernel(device::Port port, PairsState* state, u32* buckets, u64 block) {
  if (threadIdx.x == 0) {
    const bool begun = device::begin_next(port, block, state->begun);
    *state = {begun ? u64{1} : u64{0}, 0, 0, 0, 0, 0, 0};
  }
  for (i32 at = static_cast<i32>(threadIdx.x); at < order_buckets; at += static_cast<i32>(blockDim.x))
    buckets[at] = 0;
}

/// The pairs of a block that have a place in the order.
struct OrderWork {
  PairsTask task;
  i64 longest_row, longest_column;  // pairs with longer items have none
  const u8* far;                    // of each pair: not 0 if it has none; null: all have one
};

/// True if the pair has a place.
__device__ inline bool is_ordered(const OrderWork& work, i64 number) {
  const Pair pair = pair_of(work.task, number);
  return (work.far == nullptr || work.far[number] == 0) &&
         length_of(work.task.row_begin, pair.row) <= work.longest_row &&
         length_of(work.task.column_begin, pair.column) <= work.longest_column;
}

/// Adds 1 to the bucket of each lane's pair. Most warps have pairs of one bucket, for which one lane adds.
/// @param number of a pair, or -1 @return the place in the bucket of the lane's pair; all lanes of the warp call it
__device__ inline u32 add_to_bucket(const PairsTask& task, u32* buckets, i64 number) {
  const i32 bucket = number < 0 ? -1 : bucket_of(task, number);
  const i32 lane = static_cast<i32>(threadIdx.x % 32), first = __shfl_sync(~0u, bucket, 0);
  if (__all_sync(~0u, bucket == first) && first >= 0) {
    u32 place = 0;
    if (lane == 0) place = atomicAdd(&buckets[first], 32u);
    return __shfl_sync(~0u, place, 0) + static_cast<u32>(lane);
  }
  return bucket < 0 ? 0 : atomicAdd(&buckets[bucket], 1u);
}

/// Calls visit(number) for the pairs of a thread that have a place, all lanes of a warp as often; -1 where there is
/// none.
template <class Visit>
__device__ inline void over_pairs(const OrderWork& work, const Visit& visit) {
  for (i64 from = static_cast<i64>(blockIdx.x) * order_threads; from < work.task.count;
       from += static_cast<i64>(gridDim.x) * order_threads) {
    const i64 number = from + threadIdx.x;
    visit(number < work.task.count && is_ordered(work, number) ? number : -1);
  }
}

/// Counts the pairs of each bucket.
template <class P>
__global__ void __launch_bounds__(order_threads)
    count_pairs_kernel(const PairsState* state, const __grid_constant__ OrderWork work, u32* buckets) {
  if (state->begun == 0) return;
  over_pairs(work, [&](i64 number) { add_to_bucket(work.task, buckets, number); });
}

/// Places that a warp takes at a time, at most.
inline constexpr i32 most_places = 32;

/// One thread block: the first place of each bucket, and the number of all. Those after the last have no pair.
template <class P>
__global__ void __launch_bounds__(order_threads)
    sum_buckets_kernel(PairsState* state, u32* buckets, i32* order, i64 pairs) {
  if (state->begun == 0) return;
  __shared__ u32 sums[order_threads];
  constexpr i32 each = order_buckets / static_cast<i32>(order_threads);
  u32* own = buckets + threadIdx.x * each;
  u32 sum = 0;
  for (i32 at = 0; at < each; ++at) sum += own[at];
  sums[threadIdx.x] = sum;
  __syncthreads();
  u32 first = 0;
  for (u32 thread = 0; thread < threadIdx.x; ++thread) first += sums[thread];
  for (i32 at = 0; at < each; ++at) {
    const u32 count = own[at];
    own[at] = first;
    first += count;
  }
  if (threadIdx.x != order_threads - 1) return;
  state->pairs = first;
  for (i64 at = first; at < pairs && at < i64{first} + most_places; ++at) order[at] = -1;
}

/// Puts the pairs into the places of their buckets.
template <class P>
__global__ void __launch_bounds__(order_threads)
    order_pairs_kernel(const PairsState* state, const __grid_constant__ OrderWork work, u32* buckets, i32* order) {
  if (state->begun == 0) return;
  over_pairs(work, [&](i64 number) {
    const u32 place = add_to_bucket(work.task, buckets, number);
    if (number >= 0) order[place] = static_cast<i32>(number);
  });
}

/// Which bits some letters of the block have, and some have not.
template <class P>
__global__ void __launch_bounds__(order_threads)
    find_bits_kernel(PairsState* state, const __grid_constant__ PairsTask task) {
  if (state->begun == 0) return;
  u32 ones = 0, zeros = 0;
  const auto look = [&](const void* items, i64 begin, i64 end) {
    for (i64 at = begin + static_cast<i64>(blockIdx.x) * order_threads + threadIdx.x; at < end;
         at += static_cast<i64>(gridDim.x) * order_threads) {
      const u32 letter = static_cast<const u8*>(items)[at];
      ones |= letter;
      zeros |= ~letter;
    }
  };
  look(task.rows, task.row_begin[0], task.row_begin[task.row_items]);
  look(task.columns, task.column_begin[0], task.column_begin[task.column_items]);
  atomicOr(&state->ones, ones);
  atomicOr(&state->zeros, zeros);
}

/// One thread: reports block `block`, the launch's first one that is not reported.
template <class P>
__global__ void report_pairs_kernel(device::Port port, const PairsState* state, u64 block) {
  if (state->begun == 0 || state->aborted != 0) return;
  *device::result_of<PairsResult>(port, block) = {0, static_cast<i64>(state->stopped)};
  device::report_next(port, block);
}

/// One warp in so many that take places looks if the host aborts: such a look took 1.0 us on an H200, one after
/// another for all warps of the device.
inline constexpr u64 looking_warp = 256;

/// Places [first, first + count) of the order, which a warp takes; false: none is left, or the host aborts. All lanes
/// call it.
__device__ inline bool take_places(const device::Port& port, PairsState* state, i32 count, i64& first) {
  i64 taken = -1;
  if (threadIdx.x % 32 == 0) {
    const u64 ticket = atomicAdd(&state->ticket, static_cast<u64>(count));
    const bool looks = ticket / static_cast<u64>(count) % looking_warp == 0;
    const bool is_place = ticket < state->pairs;
    if (is_place && looks && device::load_system(port.abort) != 0) device::store_release(&state->aborted, u64{1});
    if (is_place && device::load_acquire(&state->aborted) == 0) taken = static_cast<i64>(ticket);
  }
  first = __shfl_sync(~0u, taken, 0);
  return first >= 0;
}

}  // namespace terrace::pairs
