// Passes over the elements of a block, on CUDA: from one buffer into another.
#pragma once

#include "kernels/device/instructions.cuh"
#include "kernels/dp_table/bounded/cuda/rules.cuh"
#include "kernels/dp_table/bounded/runs.hpp"
#include "kernels/dp_table/cuda/state_kernel.cuh"

namespace terrace::dp_table {

inline constexpr u32 bounded_threads = 512;

/// Passes that a launch takes.
struct PassesWork {
  const void* from;   // elements from `first` on
  void* to;           // likewise
  const void* below;  // of a pass alone: likewise, of the elements before `own`
  i64 first;          // the first element that there is
  i64 own, end;       // the block's elements; those before are elements that its passes read
  i64 segments;       // of elements before the block's
  i64 length;         // elements of a segment
  i64 reach;          // elements before a segment that its passes read, at most; whole words of cells
  const BoundedPass* passes;
  i64 first_pass, end_pass;
  i64 modulus;
  u64* taken;  // BoundedTask::taken, of `first_pass`; null: none is kept
  i64 taken_stride, taken_first;
  i64 key_pass;  // number of `first_pass` in its block
};

/// The place of an element in a pass.
struct PassPlace {
  bool takes;   // true if the pass leads to another element
  bool starts;  // true if this is the first one of its line

  __device__ PassPlace(const BoundedPass& pass, i64 element) {
    const i32 last = pass.rank - 1;
    if (last == 0) {
      takes = element >= pass.component[0];
      starts = element == pass.component[0];
      return;
    }
    const i64 extent = pass.extent[last];
    // Divisions of 32 bits take a fraction of the time.
    const bool is_small = (element >> 32) == 0 && (extent >> 32) == 0;
    const i64 line = is_small ? static_cast<u32>(element) / static_cast<u32>(extent) : element / extent;
    const i64 at = element - line * extent;
    takes = at >= pass.component[last] && takes_pass(pass, line);
    starts = at == pass.component[last];
  }
};

/// An element takes a pass. @param load(element) gives elements as they are before @param least the first that may
template <class Rule, class Load>
__device__ __forceinline__ auto pass_values(const PassesWork& work, const BoundedPass& pass, const Load& load,
                                            i64 element, i64 least) {
  using V = typename PassRule<Rule>::Value;
  PassValues<V> found{load(element), V{0}, V{0}, false, false};
  if (element < least) return found;
  const PassPlace place(pass, element);
  if (!place.takes) return found;
  found.source = load(element - pass.offset);
  if constexpr (PassRule<Rule>::is_words) {
    if (pass.bits > 0 && !place.starts) found.before = load(element - pass.offset - 1);
  }
  PassRule<Rule>::take(found, pass, work.modulus);
  return found;
}

/// Notes an element of the block. All lanes of a warp call, for adjacent elements from a multiple of 32 on.
/// @param old the element before the pass @param pass its number from work.first_pass on
template <class Rule, class V>
__device__ __forceinline__ void note_values(TableState* state, const PassesWork& work, const PassValues<V>& values,
                                            V old, i64 pass, i64 element, bool is_there) {
  if (is_there && values.over) {
    atomicMin(&state->overflow,
              static_cast<u64>(work.key_pass + pass) << overflow_bits | static_cast<u64>(element - work.own));
  }
  if (work.taken == nullptr) return;
  u64* row = work.taken + pass * work.taken_stride;
  if constexpr (PassRule<Rule>::is_words) {
    if (is_there) row[element - work.taken_first] = values.own & ~old;
  } else {
    const u32 taken = __ballot_sync(~0u, is_there && values.taken);
    const i64 half = element / 32 - 2 * work.taken_first;
    if (threadIdx.x % 32 == 0 && element < work.end) reinterpret_cast<u32*>(row)[half] = taken;
    // The rest of the last word.
    if (threadIdx.x % 32 == 0 && element < work.end && half % 2 == 0 && element + 32 >= work.end) {
      reinterpret_cast<u32*>(row)[half + 1] = 0;
    }
  }
}

/// A thread block takes the passes in a segment: in shared memory, with the elements before it.
template <class Rule>
__global__ void __launch_bounds__(bounded_threads)
    take_passes_kernel(TableState* state, const __grid_constant__ PassesWork work) {
  using V = typename PassRule<Rule>::Value;
  if (state->begun == 0) return;
  const i64 begin = work.own + (static_cast<i64>(blockIdx.x) - work.segments) * work.length;
  const bool is_own = begin >= work.own;
  const i64 whole = begin + work.length, end = is_own && whole > work.end ? work.end : whole;
  const i64 base = begin - work.reach, count = end - base;
  const i64 first = base > work.first ? base : work.first;
  V* now = reinterpret_cast<V*>(device::launch_shared_memory());
  V* next = now + work.length + work.reach;
  const V* from = static_cast<const V*>(work.from) - work.first;
  for (i64 at = threadIdx.x; at < count; at += blockDim.x) now[at] = base + at < first ? V{0} : from[base + at];
  __syncthreads();
  for (i64 number = work.first_pass; number < work.end_pass; ++number) {
    const BoundedPass& pass = work.passes[number];
    const i64 least = first > 0 ? first + pass.reach : 0;
    for (i64 at = threadIdx.x; at - threadIdx.x % 32 < count; at += blockDim.x) {
      const i64 element = base + at;
      const bool is_there = at < count && element >= first;
      PassValues<V> values{};
      V old{};
      if (is_there) {
        old = now[at];
        values = pass_values<Rule>(
            work, pass, [&](i64 other) { return now[other - base]; }, element, least);
        next[at] = values.own;
      }
      if (is_own && at >= work.reach) {
        note_values<Rule>(state, work, values, old, number - work.first_pass, element, is_there);
      }
    }
    __syncthreads();
    V* made = next;
    next = now;
    now = made;
  }
  V* to = static_cast<V*>(work.to) - work.first;
  for (i64 at = work.reach + threadIdx.x; at < count; at += blockDim.x) {
    if (base + at >= first) to[base + at] = now[at];
  }
}

/// All elements take one pass that reads far.
template <class Rule>
__global__ void __launch_bounds__(bounded_threads)
    take_pass_kernel(TableState* state, const __grid_constant__ PassesWork work) {
  using V = typename PassRule<Rule>::Value;
  if (state->begun == 0) return;
  const BoundedPass& pass = work.passes[work.first_pass];
  const i64 least = work.first > 0 ? work.first + pass.reach : 0;
  const i64 base = work.own - work.segments * work.length;
  const V* from = static_cast<const V*>(work.from) - work.first;
  const V* below = static_cast<const V*>(work.below) - work.first;
  const auto load = [&](i64 other) { return other < work.own ? below[other] : from[other]; };
  V* to = static_cast<V*>(work.to);
  for (i64 at = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; base + at - threadIdx.x % 32 < work.end;
       at += static_cast<i64>(gridDim.x) * blockDim.x) {
    const i64 element = base + at;
    const bool is_there = element >= work.first && element < work.end;
    PassValues<V> values{};
    V old{};
    if (is_there) {
      old = load(element);
      values = pass_values<Rule>(work, pass, load, element, least);
      to[element - work.first] = values.own;
    }
    if (element - static_cast<i64>(threadIdx.x % 32) >= work.own) {
      note_values<Rule>(state, work, values, old, 0, element, is_there);
    }
  }
}

}  // namespace terrace::dp_table
