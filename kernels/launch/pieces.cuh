// Pieces of blocks: how a worker of a launch draws one by ticket, begins its block, gets the block's descriptor, and
// finds out that it completed the block. Tickets number the pieces block by block, every block with as many. What a
// piece is (a band, a strip, a tile) is the family's own.
#pragma once

#include "kernels/launch/port.cuh"

namespace terrace::device {

/// The warp's next ticket, in all lanes. All lanes call it.
__device__ __forceinline__ u64 take_ticket_by_warp(const Launch& launch) {
  u64 ticket = 0;
  if (lane_index() == 0) ticket = take_ticket(launch);
  return __shfl_sync(~0u, ticket, 0);
}

/// Has the first lane wait: for the begin of a block (begin_block), or for neighbours. All lanes call it, and see
/// afterwards what the first one saw. @return what wait() returned, false when the launch is over
template <class Wait>
__device__ __forceinline__ bool wait_by_first_lane(Wait&& wait) {
  bool there = true;
  if (lane_index() == 0) there = wait();
  there = __shfl_sync(~0u, there, 0);
  __syncwarp();
  return there;
}

/// Copies the descriptor of a begun block out of its slot, word by word past L1. All `threads` threads call it, and
/// meet before they read the copy. @param thread [0, threads)
template <u32 threads, class Descriptor>
__device__ __forceinline__ void copy_descriptor(const Descriptor& slot, Descriptor& copy, u32 thread) {
  constexpr u32 words = sizeof(Descriptor) / sizeof(u64);
  const u64* from = reinterpret_cast<const u64*>(&slot);
  u64* to = reinterpret_cast<u64*>(&copy);
  if constexpr (words <= threads) {
    if (thread < words) to[thread] = load_past_l1(from + thread);
  } else {
    for (u32 at = thread; at < words; at += threads) to[at] = load_past_l1(from + at);
  }
}

/// Counts a piece of a block as finished, after all of its stores (one thread of a worker). @return whether it was
/// the block's last: then the count is 0 again, the stores of all pieces are seen, and the thread reports the block
__device__ __forceinline__ bool finish_piece(u32* finished, u32 pieces) {
  __threadfence();
  if (atomicAdd(finished, 1u) + 1 != pieces) return false;
  *finished = 0;
  __threadfence();
  return true;
}

}  // namespace terrace::device
