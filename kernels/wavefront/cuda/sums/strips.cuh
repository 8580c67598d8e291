// Strips of a block: their sizes, their shared memory, the values that they exchange, and their thread blocks.
#pragma once

#include "kernels/wavefront/cuda/bands/bands.cuh"
#include "kernels/wavefront/measured.hpp"

namespace terrace::wavefront {

inline constexpr int strip_columns = measured::CudaStrips::columns;
inline constexpr int strip_warps = measured::CudaStrips::warps;
inline constexpr int strip_threads = 32 * strip_warps;
inline constexpr int strip_group = measured::CudaStrips::group;

/// Rows of a batch if a warp holds R of them.
TERRACE_HOST_DEVICE constexpr int batch_rows(int R) { return strip_warps * R; }

/// The values that strips hand to one another, in device memory. A value has words_of(V) words of 64 bits, each with
/// a tag.
struct StripArguments {
  u64* totals;     // [strip][row]: L of the strip's last column; of all but a block's last strip
  u64* carries;    // [group][row]: H of the group's last column; of all but a block's last group
  i64 rows;        // from strip to strip: rows of a block, whole batches
  u64 rooms;       // blocks that have rooms of their own for both: block n uses room n % rooms
  i64 room_words;  // from room to room
  u64 stride;      // a block has that number less by this than the one below it
  u32 tag;         // of the launch's first block; the others follow
};

/// Columns of a table of type T that are written at once.
template <class T>
inline constexpr int packet_columns = 16 / sizeof(T);
/// The columns of a strip that a lane writes, c in [0, 4): packets that are adjacent to the other lanes'.
template <class T>
__device__ __forceinline__ int column_to_write(int lane, int c) {
  constexpr int packet = packet_columns<T>;
  return c / packet * 32 * packet + lane * packet + c % packet;
}

/// Neighbouring sums, moved at once.
template <class W, int count>
struct alignas(sizeof(W) * count) Sums {
  W at[count];
};

/// Writes 16 bytes that nobody will read soon.
template <class T, int count>
__device__ __forceinline__ void store_once(T* address, const Sums<T, count>& sums) {
  static_assert(sizeof sums == 16);
  device::store_once(static_cast<void*>(address), reinterpret_cast<const u32*>(&sums));
}

/// a + b; it wraps.
template <class V>
__device__ __forceinline__ V add_wrapping(V a, V b) {
  if constexpr (sizeof(V) == 4) return static_cast<V>(static_cast<u32>(a) + static_cast<u32>(b));
  else return static_cast<V>(static_cast<u64>(a) + static_cast<u64>(b));
}

/// A strip of a block, in shared memory.
struct Strip {
  BlockTask task;
  u64 block;  // of the launch
  i32 index, count;
  i32 rows;
  i32 width;  // columns of the block
  bool begun;
};

/// Sums within a batch: 32 bits hold sums of narrow values, and of marks.
template <class V, int bytes, bool counts>
struct LocalSum {
  using Type = V;
};
template <class V>
struct LocalSum<V, 1, false> {
  using Type = i32;
};
template <class V>
struct LocalSum<V, 2, false> {
  using Type = i32;
};
template <class V, int bytes>
struct LocalSum<V, bytes, true> {
  using Type = i32;
};

/// Shared memory of a thread block. @tparam Batch the sums of a batch (value_sums.cuh, mark_sums.cuh)
template <class Batch>
struct StripMemory {
  typename Batch::Sum bottoms[2][strip_warps][strip_columns];  // of a batch: each warp's last row
  typename Batch::Memory held[strip_warps];                    // the batch before this one
  i64 last_left;                                               // H left of the strip in the block's last row
};

/// Rows of a warp, and whether the next batch is read while one is added up, as far as registers have room.
template <class V, int bytes, bool counts>
struct StripShape {
  static constexpr bool narrow = sizeof(typename LocalSum<V, bytes, counts>::Type) == 4;
  using Sizes = measured::CudaStrips;
  static constexpr bool packed = counts && Sizes::packs_marks;
  static constexpr int rows = bytes == 8                     ? Sizes::rows_of_wide
                              : bytes <= 2 && sizeof(V) == 4 ? Sizes::rows_of_narrow
                                                             : Sizes::rows;
  static constexpr bool reads_ahead = narrow || bytes == 8;
};

/// Waits until the blocks are there whose borders a block reads (one thread), the one before it and the one above it,
/// so that blocks of several layers are under way at a time; false when the launch is over.
__device__ inline bool wait_for_blocks(const SweepArguments& a, const StripArguments& strips, u64 block) {
  const bool has_left = (a.launch.port.first + block) % a.across != 0;
  const u64 needed = has_left || strips.rooms == 1 ? block : block < strips.stride ? 0 : block - strips.stride + 1;
  return device::wait_for(a.launch, &a.launch.words->done.word, needed, block);
}

/// Gives the thread block its next strip; false when there is none, or the launch is over. All threads call it.
__device__ inline bool take_strip(const SweepArguments& a, const StripArguments& strips, Strip& strip) {
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) {
      const u64 ticket = device::take_ticket(a.launch);
      const u64 block = ticket / a.bands;
      const u64 index = ticket % a.bands;
      strip.begun = ticket < a.tickets &&
                    device::begin_block(a.launch, block, index == 0, &slot_of(a, block)->kept.block) &&
                    wait_for_blocks(a, strips, block);
      strip.block = block;
      strip.index = static_cast<i32>(index);
    }
    __syncthreads();
    if (!strip.begun) return false;
    device::copy_descriptor<strip_threads>(slot_of(a, strip.block)->kept.block, strip.task, threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
      strip.rows = static_cast<i32>(strip.task.row_end - strip.task.row_begin);
      strip.width = static_cast<i32>(strip.task.column_end - strip.task.column_begin);
      strip.count = strip.width > 0 ? (strip.width + strip_columns - 1) / strip_columns : 1;
    }
    __syncthreads();
    if (strip.index < strip.count) return true;
  }
}

/// Ends a strip (all threads call it): with the block's last one it is reported.
template <class V>
__device__ inline void finish_strip(const SweepArguments& a, const Strip& strip, V score, bool failed) {
  // The last row is in the hands of one thread: the others have 0 there.
  BlockSlot* slot = slot_of(a, strip.block);
  if (strip.index + 1 == strip.count && score != 0) slot->result.score = score;
  failed = __syncthreads_or(failed);
  if (threadIdx.x != 0) return;
  device::random_delay(a.launch, strip.block << 32 | static_cast<u32>(strip.index));
  if (failed) atomicOr(&slot->failed, 1u);
  if (!device::finish_piece(&slot->finished, static_cast<u32>(strip.count))) return;
  volatile BlockSlot* done = slot;
  const BlockTask& task = strip.task;
  const bool any = strip.rows > 0 && strip.width > 0;
  const BlockResult result{done->result.score, any ? task.row_end : 0, any ? task.column_end : 0};
  const bool block_failed = done->failed != 0;
  done->result.score = 0;
  done->failed = 0;
  __threadfence();
  device::report_block(a.launch, strip.block, result, block_failed);
}

}  // namespace terrace::wavefront
