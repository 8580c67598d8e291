// The table of back-off policies: who waits for what, and how long it sleeps between two looks.
//
// Rates are cells per second on one NVIDIA H200 (tests/benchmarks/RESULTS.md), of the kernel whose waits sleep as the
// entry says. An entry without a rate has the length that all these kernels were measured with.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::device {

/// A wait on CUDA for a word. Tries are counted from 1; each is one look at the word.
struct Backoff {
  u32 first;             // ns of the first sleep
  u32 longest;           // ns: sleeps double up to this length
  u32 sleep_every = 1;   // tries from one sleep to the next
  u32 look_every = 1;    // tries from one look whether the launch is over to the next
  u32 spins = 0;         // tries before the first sleep
  u32 short_sleeps = 0;  // sleeps of the first length before those of the longest; 0: each is twice the one before
};

/// A wait on CUDA for a band, by how many bands away the last writer of the row is.
struct DistanceBackoff {
  u32 band;             // ns of sleep for a band of distance
  u32 bands;            // from this distance on, a sleep lasts so many times `band`
  u32 awake;            // bands of the distance that count for nothing
  u32 look_every = 32;  // tries from one look whether the launch is over to the next
};

/// A wait on the CPU.
struct CpuBackoff {
  int spins;         // looks before the first sleep, with a pause instruction between two
  int short_sleeps;  // sleeps of the first length, then those of the longest
  int first;         // us
  int longest;       // us
};

namespace backoffs {

// The protocol: one thread of a worker waits.

/// Blocks that are begun or done, tiles of the waves before.
inline constexpr Backoff words{.first = 32, .longest = 512};
/// The host, until it makes a block ready: one thread of the launch asks, over the bus.
inline constexpr Backoff host{.first = 500, .longest = 500};
/// Warps that draw tickets before this one, once a launch: smith_waterman, affine, 32 bits, 2.93 T in this order and
/// 2.87 T without.
inline constexpr Backoff turn{.first = 1000, .longest = 1000};
/// The lock of a block's result, once a band.
inline constexpr Backoff lock{.first = 32, .longest = 32};
/// The right border of the block to the left, once a band.
inline constexpr Backoff column_flag{.first = 100, .longest = 100};

// Hand-off between neighbours: a warp waits, unless one thread is named.

/// The band above, sweeps cell by cell: smith_waterman, affine, 16 bits, 4.25 T (64% of the limit). With couriers:
/// affine, 32 bits, 3.39 T (61%); dtw, f32, 2.23 T (27%). Naps of 256 ns also where the band above is the next to
/// write: 392 ms in place of 350 ms.
inline constexpr DistanceBackoff band_above{.band = 256, .bands = 64, .awake = 1};
/// The band above, sweeps in differences: edit_distance 29.3 T (50%), lcs 34.7 T (26%).
inline constexpr Backoff bits_above{.first = 32, .longest = 32, .sleep_every = 32, .look_every = 32};
/// The band above, sums by bands: summed_area, i32, 0.19 T, before strips took its place.
inline constexpr Backoff sums_above{.first = 32, .longest = 32, .sleep_every = 32, .look_every = 32};
/// The strips before, sums by strips: summed_area, i32, 0.42 T (78% of a copy).
inline constexpr Backoff strips_before{.first = 20, .longest = 20, .look_every = 64};
/// The tile above, one thread of a thread block: smith_waterman, peer_flexible, 2^15 x 2^15, 23 G.
inline constexpr Backoff tile_above{.first = 32, .longest = 32, .sleep_every = 32, .look_every = 32};
/// The band above, codes of a walk: all walks of the alignment of two genomes of a million letters, 200 ms.
inline constexpr DistanceBackoff codes_above{.band = 512, .bands = 64, .awake = 0};
/// All bands of a walk, one thread of the warp that walks. Likewise.
inline constexpr Backoff codes{.first = 200, .longest = 200};
/// The band above, in-place sweeps, a piece of steps: sor, f32, 256 sweeps, 1.93 T (35%), 1 sweep 0.14 T.
inline constexpr Backoff in_place_above{
    .first = 20, .longest = 100, .look_every = 64, .spins = 9, .short_sleeps = 31};
/// The rows of the group of sweeps before, one thread. Likewise.
inline constexpr Backoff in_place_rows{.first = 200, .longest = 200, .look_every = 16};

/// The sub-blocks of the level before, one thread of a thread block: a table of many dimensions. Not measured.
inline constexpr Backoff blocks_of_level{
    .first = 20, .longest = 100, .look_every = 256, .spins = 64, .short_sleeps = 128};

// A courier that has nothing to do, in ns: the rates of band_above with couriers.

/// The sweeping warp has not taken a band.
inline constexpr u32 courier_without_band = 128;
/// The sweeping warp still needs what lies in the next place of the ring.
inline constexpr u32 courier_without_place = 64;
/// The sweeping warp has no more bands; the courier's other one may have.
inline constexpr u32 courier_without_warp = 16384;

// The CPU.

/// Blocks to begin, bands above and to the left, waves, groups of sweeps. On an AMD EPYC, 1024 looks take 27 us and
/// the shortest sleep 68 us. sor, f32, 1024 x 1024, 256 sweeps on its two threads, busy with other programs, the
/// least of five: 35 ms (7.7 G), with 512 looks 32 ms, with 4096 30 ms, with sched_yield 51 ms. Many launches of a
/// few cells take three times the processor's time with 4096 looks. No sched_yield: Linux takes it for a wish to come
/// after all other threads, so that the wait goes on long after its end.
inline constexpr CpuBackoff cpu{.spins = 1024, .short_sleeps = 40, .first = 20, .longest = 100};

}  // namespace backoffs
}  // namespace terrace::device
