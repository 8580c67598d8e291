// The kernel's side of a Port: who asks the host, who waits for whom, and how blocks are reported in order.
//
// Workers (warps) take tickets; a ticket is a band of a block, block by block. Whoever takes a block's first ticket
// leads it: leaders ask the host one after another, each hands the block's descriptor on through device memory.
// Everybody else polls words in device memory. Blocks are reported in their order.
#pragma once

#include "kernels/device/instructions.cuh"
#include "kernels/launch/port.hpp"
#include "kernels/launch/wait.cuh"

namespace terrace::device {

/// A word on a cache line of its own.
struct alignas(128) LonelyWord {
  u64 word;
};

/// The words of one launch in device memory; all zero at its start. Blocks are counted from the launch's first.
struct LaunchWords {
  LonelyWord ticket;   // next ticket
  LonelyWord begun;    // blocks [0, begun) may be worked on
  LonelyWord ended;    // 0, or the complement of the first block that is given up: the largest counts
  LonelyWord done;     // blocks [0, done) have been reported
  LonelyWord abort;    // not 0: leave
  LonelyWord skipped;  // operations that were left out
};

/// The data that the launch's workers share; each holds a copy.
struct Launch {
  Port port;
  LaunchWords* words;
  u64 slots;       // blocks that may be under way at a time
  u32 delay_seed;  // not 0: sleep at random where workers meet (tests)
};

/// Sleeps up to 2 us at random in tests, else does nothing.
__device__ inline void random_delay(const Launch& launch, u64 place) {
  if (launch.delay_seed == 0) return;
  u64 hash = (place + 1) * 0x9E3779B97F4A7C15ull + launch.delay_seed * 0xD1B54A32D192ED03ull + clock64();
  hash ^= hash >> 29;
  hash *= 0xBF58476D1CE4E5B9ull;
  if ((hash >> 60) < 6) __nanosleep(static_cast<u32>(hash >> 32) & 2047u);
}

__device__ inline bool aborted(const Launch& launch) { return load_acquire(&launch.words->abort.word) != 0; }

/// True if `block` has been given up, by a stop or because it or an earlier one failed.
__device__ inline bool given_up(const Launch& launch, u64 block) {
  const u64 ended = load_acquire(&launch.words->ended.word);
  return ended != 0 && block >= ~ended;
}

/// Gives up `block` and later ones.
__device__ inline void give_up(const Launch& launch, u64 block) { atomicMax(&launch.words->ended.word, ~block); }

/// True if a worker on `block` must leave.
__device__ inline bool must_leave(const Launch& launch, u64 block) {
  return given_up(launch, block) || aborted(launch);
}

/// Waits until `word` is at least `value`; false when a worker on `block` must leave.
__device__ inline bool wait_for(const Launch& launch, const u64* word, u64 value, u64 block) {
  return wait_until<backoffs::words>([&] { return load_acquire(word) >= value; },
                                     [&] { return must_leave(launch, block); });
}

/// Lets all workers know of an abort by the host. @return whether there is one
__device__ inline bool look_for_abort(const Launch& launch) {
  const bool aborts = load_system(launch.port.abort) != 0;
  if (aborts) store_release(&launch.words->abort.word, u64{1});
  return aborts;
}

/// True if the host's stop holds for `block`, as the port numbers it.
__device__ inline bool is_stopped(const Port& port, u64 block) {
  const u64 stop = load_system(port.stop);
  return stop == 1 || (stop != 0 && load_acquire_system(port.ready) <= block);
}

/// True where `block` is not to begin: the host says stop or abort, or the block is given up.
__device__ inline bool must_not_begin(const Launch& launch, u64 block) {
  if (look_for_abort(launch)) return true;
  if (is_stopped(launch.port, launch.port.first + block)) {
    give_up(launch, block);
    return true;
  }
  return given_up(launch, block);
}

/// Asks the host for `block`; false when it is not to begin. Only one thread of the launch is in here.
__device__ inline bool ask_host(const Launch& launch, u64 block) {
  const Port& port = launch.port;
  bool begins = true;
  wait_until<backoffs::host>([&] {
    begins = !must_not_begin(launch, block);
    return !begins || load_acquire_system(port.ready) > port.first + block;
  });
  return begins;
}

/// The next ticket (one thread a worker). Looks for the host's abort now and then: a block may take long.
__device__ inline u64 take_ticket(const Launch& launch) {
  const u64 ticket = atomicAdd(&launch.words->ticket.word, u64{1});
  if (ticket % 64 == 63) look_for_abort(launch);
  random_delay(launch, ticket);
  return ticket;
}

/// Lets a warp of each multiprocessor begin, then another one of each on another scheduler, so that tickets in a row
/// go to multiprocessors in turn and all schedulers fill alike: thread blocks are given to multiprocessors in turn,
/// and the warps of one to its schedulers. Waits for a while at most: the order matters for speed alone.
__device__ inline void begin_in_turn(const Launch& launch, u64 tickets, u32 processors, u32 warps_of_block) {
  const u32 wave = blockIdx.x / processors, first = wave * processors, others = gridDim.x - first;
  const u64 warps = u64{first} * warps_of_block + threadIdx.x / 32 * (others < processors ? others : processors);
  const u64 before = warps < tickets ? warps : tickets;
  u32 looks = 64;
  wait_until<backoffs::turn>([&] { return looks-- == 0 || load_relaxed(&launch.words->ticket.word) >= before; });
  __syncwarp();
}

/// Copies the block's descriptor from the host's ring, word by word past the caches.
template <class Descriptor>
__device__ inline void fetch_descriptor(const Launch& launch, u64 block, Descriptor* copy) {
  const Port& port = launch.port;
  const u64 entry = (port.first + block) % port.ring;
  const u64* from =
      reinterpret_cast<const u64*>(static_cast<const u8*>(port.descriptors) + entry * port.descriptor_bytes);
  for (u32 at = 0; at < sizeof(Descriptor) / sizeof(u64); ++at) {
    reinterpret_cast<u64*>(copy)[at] = load_system(from + at);
  }
}

/// The result of `block`, as the port numbers it, in the host's ring.
template <class Result>
__device__ inline Result* result_of(const Port& port, u64 block) {
  return reinterpret_cast<Result*>(static_cast<u8*>(port.results) + block % port.ring * port.result_bytes);
}

/// Says that `block`, counted from 0, is begun, as port.hpp wants it (one thread).
__device__ inline void note_begin(const Port& port, u64 block) {
  if (port.times != nullptr) port.times[2 * (block % port.ring)] = clock_nanoseconds();
}

/// Begins `block`, as the port numbers it, of a launch whose kernels compute one block after another (one thread):
/// not where the host says stop or abort, nor after a block that has not begun.
/// @param begun 0 if the block before has not begun; not read for a launch's first block
__device__ inline bool begin_next(const Port& port, u64 block, const u64& begun) {
  if ((block != port.first && begun == 0) || load_system(port.abort) != 0 || is_stopped(port, block)) {
    return false;
  }
  note_begin(port, block);
  return true;
}

/// Says that the last part of `block` is complete (one thread, before a system-wide release of `done`).
__device__ inline void note_end(const Port& port, u64 block) {
  if (port.times != nullptr) port.times[2 * (block % port.ring) + 1] = clock_nanoseconds();
}

/// Reports `block`, as the port numbers it, where blocks are computed one after another: its result is written, and
/// the one thread that calls sees all writes of the block.
__device__ inline void report_next(const Port& port, u64 block) {
  note_end(port, block);
  __threadfence_system();
  store_release_system(port.done, block + 1);
}

/// Begins `block` (by one thread a worker): its leader asks the host and puts the descriptor into `slot`, the others
/// wait for that. False when the block will not be computed.
template <class Descriptor>
__device__ inline bool begin_block(const Launch& launch, u64 block, bool leader, Descriptor* slot) {
  LaunchWords* words = launch.words;
  if (!leader) return wait_for(launch, &words->begun.word, block + 1, block);
  if (!wait_for(launch, &words->begun.word, block, block)) return false;
  if (block >= launch.slots && !wait_for(launch, &words->done.word, block - launch.slots + 1, block)) return false;
  if (!ask_host(launch, block)) return false;
  note_begin(launch.port, launch.port.first + block);
  fetch_descriptor(launch, block, slot);
  random_delay(launch, block);
  store_release(&words->begun.word, block + 1);
  return true;
}

/// Counts operations of a block as left out (by one thread of a worker, before it says that its part is finished).
__device__ inline void leave_out(const Launch& launch, u64 operations) {
  atomicAdd(&launch.words->skipped.word, operations);
}

/// Reports `block` (by the thread that found all of its bands finished): waits for the blocks before it, writes its
/// result and then `done`, or `failed` and ends the launch there.
template <class Result>
__device__ inline void report_block(const Launch& launch, u64 block, const Result& result, bool failed) {
  const Port& port = launch.port;
  note_end(port, port.first + block);
  if (!wait_for(launch, &launch.words->done.word, block, block)) return;
  __threadfence_system();
  if (failed) {
    give_up(launch, block);
    store_release_system(port.failed, port.first + block + 1);
    return;
  }
  *result_of<Result>(port, port.first + block) = result;
  if (const u64 skipped = load_relaxed(&launch.words->skipped.word); skipped > 0) *port.skipped = skipped;
  store_release_system(port.done, port.first + block + 1);
  store_release(&launch.words->done.word, block + 1);
}

}  // namespace terrace::device
