// The division of a sweep's blocks among the warps of a launch: a warp takes bands of rows by ticket, block by block
// from the top, so that whatever a band waits for is in the hands of a warp that runs, however few are resident. No
// host library header: also compiled at run time.
#pragma once

#include "kernels/launch/pieces.cuh"
#include "kernels/launch/tagged.cuh"
#include "kernels/values/stored.cuh"
#include "kernels/wavefront/measured.hpp"
#include "kernels/wavefront/rules/bit_lines.hpp"
#include "kernels/wavefront/rules/diagonals.hpp"
#include "kernels/wavefront/substitution.hpp"
#include "kernels/wavefront/task.hpp"

namespace terrace::wavefront {

using device::i64;
using device::lane_index;
using device::load_relaxed;
using device::store_relaxed;
using device::TaggedCell;
using device::TaggedColumns;
using device::u32;
using device::u64;

/// The state of a block under way, in device memory; all zero at the start of a launch.
struct alignas(128) BlockSlot {
  KeptTask kept;  // its block alone where no lines are kept
  BlockResult result;
  u32 lock;
  u32 finished;  // bands
  u32 reported;  // whether `result` holds a cell
  u32 failed;    // whether a band did not pass its checks
  u64 known;     // of the first slot: the largest cell that any band of the launch has met so far
  u64 strip;  // of a sweep by strips: twice the first block of the launch in the block's strip, and the strip's row
};

/// The arguments of all kernels of sweeps. Blocks are counted from the launch's first.
struct SweepArguments {
  device::Launch launch;
  BlockSlot* slots;  // launch.slots of them; block n uses slot n % launch.slots
  u64* borders;      // tagged rows, border_words each: one a slot; where across is 1 a single one, or two by strips
  i64 border_words;
  u32* column_flags;           // [slot][band]: tag of the last band that wrote its right border
  i64 rows, columns;           // of the table
  i64 every;                   // one row and column of so many is kept; 0: none is
  BitLines lines;              // of sweeps in differences: lines that are kept; 0: none are
  u64 across;                  // blocks in a row of the table's grid of blocks; 1 by strips
  bool strips;                 // blocks come strip by strip (SweepSpec::by_strips)
  u64 down;                    // blocks of a strip
  i64 block_rows;              // of a block
  u64 tickets;                 // in all
  u32 processors;              // multiprocessors of the device
  u32 bands;                   // of a block of full height
  i32 band_rows;               // of a band
  u32 border_bands;            // from one row border that a block writes to the next; 0: the one below it alone
  i32 border_columns;          // from one column border to the next; 0: the one right of the block alone
  i64 border_pieces_across;    // of a row border of a block: one a cell (SweepSpec::cell_columns), or one
  i64 border_pieces_down;      // of a column border
  Stored border, table, grid;  // types of the arrays; kept lines have the table's
  Stored value;                // type that sums must fit where `check` says that they must
  bool check;
  bool prunes;             // what cannot reach the best cell may be left out (pruning.hpp)
  DiagonalBand diagonals;  // of sweeps in differences: what is computed
  double scale;            // of integer cells in tables of numbers with a fraction
  Matrix matrix;           // scores of letters, for problems that have one
};

/// True if descriptors are KeptTask.
__host__ __device__ inline bool keeps_lines(const SweepArguments& a) { return a.every > 0 || a.lines.rows > 0; }

/// A band that a warp works on, in shared memory: rows [first_row, first_row + rows) of its block.
struct KernelBand {
  BlockTask task;
  u64 ticket;
  u64 block;  // of the launch
  i64 first_row;
  i32 rows;
  i32 width;  // columns of the block
  i32 start;  // columns of the block that a window or band of diagonals leaves out before the task's first
  u32 index;  // of the band in its block
  u32 above;  // bands that hand the tagged row on from one to the next until it comes to this one
  u32 row;    // number of that row
  bool last;  // of its block
};

/// A cell for the report: row and column within the block.
struct Candidate {
  i64 score, row, column;
  bool found;
};

/// The number that a band writes beside its values: never 0, and one more than that of the band before.
__device__ inline u32 tag_of(u64 ticket) { return static_cast<u32>(ticket + 1); }

__device__ inline BlockSlot* slot_of(const SweepArguments& a, u64 block) { return a.slots + block % a.launch.slots; }
__device__ inline u64* border_row(const SweepArguments& a, const KernelBand& band) {
  return a.borders + band.row * static_cast<u64>(a.border_words);
}
__device__ inline u32* column_flag(const SweepArguments& a, u64 block, u32 band) {
  return a.column_flags + block % a.launch.slots * a.bands + band;
}

/// True if the band's top border is what the band before wrote, tagged.
__device__ inline bool top_is_tagged(const KernelBand& band) { return band.above > 0; }

/// BlockSlot::strip as values: the block that it is of, the first block of the launch in the block's strip, and the
/// row that the strip hands on.
struct StripPlace {
  u64 block, first;
  u32 row;
};
__device__ inline StripPlace strip_place(u64 strip) {
  return {(strip >> 32) - 1, strip >> 1 & 0x7FFFFFFFu, static_cast<u32>(strip & 1)};
}

/// Waits until the strip of a block is known (one thread); false when the launch is over.
__device__ inline bool wait_for_strip(const SweepArguments& a, u64 block, StripPlace& place) {
  const u64* strip = &slot_of(a, block)->strip;
  return device::wait_until<device::backoffs::column_flag>(
      [&] {
        place = strip_place(device::load_acquire(strip));
        return place.block == block;
      },
      [&] { return device::must_leave(a.launch, block); });
}

/// By the leader of a block that has begun, of a sweep by strips: it goes on with the tagged row of the block before,
/// or begins a strip in the launch. Strips take two rows in turn: the first block of one waits until the strip before
/// the last has ended. False when the launch is over. @param before of the block before, which keeps its slot until
/// this one has joined
__device__ inline bool join_strip(const SweepArguments& a, u64 block, const StripPlace& before) {
  StripPlace place{block, block, 0};
  if (block > 0) {
    const BlockTask &task = slot_of(a, block)->kept.block, &above = slot_of(a, block - 1)->kept.block;
    const auto same = [](const i64& one, const i64& other) {
      return load_relaxed(reinterpret_cast<const u64*>(&one)) == load_relaxed(reinterpret_cast<const u64*>(&other));
    };
    const bool goes_on = same(task.column_begin, above.column_begin) && same(task.row_begin, above.row_end);
    place.row = goes_on ? before.row : 1 - before.row;
    if (goes_on) place.first = before.first;
    else if (!device::wait_for(a.launch, &a.launch.words->done.word, before.first, block)) return false;
  }
  device::store_release(&slot_of(a, block)->strip, (block + 1) << 32 | place.first << 1 | place.row);
  return true;
}

/// Waits until the flag has reached the tag (flags only grow, modulo 2^32).
__device__ inline bool wait_for_flag(const SweepArguments& a, const u32* flag, u32 tag, u64 block) {
  return device::wait_until<device::backoffs::column_flag>(
      [&] { return static_cast<i32>(device::load_acquire(flag) - tag) >= 0; },
      [&] { return device::must_leave(a.launch, block); });
}

/// By strips: waits until the launch has ended the block of this row in the strip that it took before (one thread),
/// which is the block on the left where one device computes all strips. The launch has the end of that strip, at
/// least.
__device__ inline bool wait_for_strip_before(const SweepArguments& a, const KernelBand& band) {
  const u64 first = (band.ticket - band.above) / a.bands;
  const u64 needed = first + static_cast<u64>(band.task.row_begin / a.block_rows) + 1;
  return needed <= a.down ||
         device::wait_for(a.launch, &a.launch.words->done.word, minimum(needed - a.down, first), band.block);
}

/// Waits until the borders that other blocks of the launch write are there (one thread). The right border of a band
/// begins with a cell of the band above it, which has its own flag.
__device__ inline bool wait_for_borders(const SweepArguments& a, const KernelBand& band) {
  const u64 block = band.block;
  if (band.index == 0 && a.across > 1 && block >= a.across &&
      !device::wait_for(a.launch, &a.launch.words->done.word, block - a.across + 1, block)) {
    return false;
  }
  if (a.strips) return wait_for_strip_before(a, band);
  if (block == 0 || (a.launch.port.first + block) % a.across == 0) return true;
  const u32 tag = tag_of(band.ticket - a.bands);
  if (band.index > 0 && !wait_for_flag(a, column_flag(a, block - 1, band.index - 1), tag - 1, block)) return false;
  return wait_for_flag(a, column_flag(a, block - 1, band.index), tag, block);
}

/// Fills in what lies where, once the block's task is there. All lanes call it.
/// @return false when a block at the lower edge has no such band; a block without rows has one, without rows
__device__ inline bool place_band(const SweepArguments& a, u64 ticket, KernelBand& band) {
  const u64 block = ticket / a.bands;
  device::copy_descriptor<32>(slot_of(a, block)->kept.block, band.task, static_cast<u32>(lane_index()));
  __syncwarp();
  const i64 rows = band.task.row_end - band.task.row_begin;
  const u32 index = static_cast<u32>(ticket % a.bands);
  const i64 first_row = static_cast<i64>(index) * a.band_rows;
  const i64 left = rows - first_row;
  const StripPlace strip = strip_place(load_relaxed(&slot_of(a, block)->strip));
  const u64 first = a.across == 1 ? strip.first : block;  // whose bands hand the row on
  if (lane_index() == 0) {
    band.ticket = ticket;
    band.block = block;
    band.first_row = first_row;
    band.rows = left < a.band_rows ? static_cast<i32>(left) : a.band_rows;
    band.width = static_cast<i32>(band.task.column_end - band.task.column_begin);
    band.start = 0;
    band.index = index;
    band.above = static_cast<u32>(ticket - first * a.bands);
    band.row = a.across == 1 ? strip.row : static_cast<u32>(block % a.launch.slots);
    band.last = left <= a.band_rows;
  }
  __syncwarp();
  return left > 0 || index == 0;
}

/// Threads of a thread block that sweeps.
inline constexpr int sweep_threads = measured::CudaLaunches::threads;

/// Gives the warp its next band; false when there is none, or the launch is over. All lanes call it.
__device__ inline bool take_band(const SweepArguments& a, KernelBand& band) {
  for (;;) {
    const u64 ticket = device::take_ticket_by_warp(a.launch);
    if (ticket >= a.tickets) return false;
    const auto begin = [&] {
      const u64 block = ticket / a.bands;
      const bool leads = ticket % a.bands == 0;
      KeptTask* task = &slot_of(a, block)->kept;
      StripPlace strip{};
      if (a.strips && leads && block > 0 && !wait_for_strip(a, block - 1, strip)) return false;
      const bool begun = keeps_lines(a) ? device::begin_block(a.launch, block, leads, task)
                                        : device::begin_block(a.launch, block, leads, &task->block);
      if (!begun || !a.strips) return begun;
      return leads ? join_strip(a, block, strip) : wait_for_strip(a, block, strip);
    };
    if (!device::wait_by_first_lane(begin)) return false;
    if (place_band(a, ticket, band)) return device::wait_by_first_lane([&] { return wait_for_borders(a, band); });
  }
}

/// True if a goes before b in a report: larger, then in a smaller row, then in a smaller column.
__device__ inline bool goes_before(const Candidate& a, const Candidate& b) {
  if (!a.found || !b.found) return a.found;
  if (a.score != b.score) return a.score > b.score;
  return a.row != b.row ? a.row < b.row : a.column < b.column;
}

/// Adds a finished band to its block; whether it was the block's last, whose report is then in `total`.
__device__ inline bool add_to_block(const SweepArguments& a, const KernelBand& band, const Candidate& found,
                                    bool failed, BlockResult& total, bool& block_failed) {
  volatile BlockSlot* slot = slot_of(a, band.block);
  u32* lock = &slot_of(a, band.block)->lock;
  device::wait_until<device::backoffs::lock>([&] { return atomicCAS(lock, 0u, 1u) == 0; });
  __threadfence();
  const Candidate known{slot->result.score, slot->result.row, slot->result.column, slot->reported != 0};
  if (goes_before(found, known)) {
    slot->result.score = found.score;
    slot->result.row = found.row;
    slot->result.column = found.column;
    slot->reported = 1;
  }
  if (failed) slot->failed = 1;
  const u32 finished = slot->finished + 1;
  const i64 rows = band.task.row_end - band.task.row_begin;
  const bool complete = finished == (rows <= 0 ? 1 : (rows + a.band_rows - 1) / a.band_rows);
  slot->finished = complete ? 0 : finished;
  if (complete) {
    const bool any = slot->reported != 0;
    total.score = any ? slot->result.score : 0;
    total.row = any ? slot->result.row + band.task.row_begin + 1 : 0;
    total.column = any ? slot->result.column + band.task.column_begin - band.start + 1 : 0;
    block_failed = slot->failed != 0;
    slot->reported = 0;
    slot->failed = 0;
  }
  __threadfence();
  atomicExch(lock, 0u);
  return complete;
}

/// Counts pieces of a band (one lane calls it): of so many columns each, as a lane in its middle passes them.
__device__ inline void leave_out_pieces(const SweepArguments& a, const KernelBand& band, i32 pieces, i32 columns) {
  const i64 passed = minimum(i64(pieces) * columns, i64(band.width));
  if (passed > 0) device::leave_out(a.launch, static_cast<u64>(passed * band.rows));
}

/// Ends a band (all lanes call it, after their last store): sets its flag and, with the block's last band, reports
/// it.
__device__ inline void finish_band(const SweepArguments& a, const KernelBand& band, const Candidate& found,
                                   bool failed) {
  __syncwarp();
  if (lane_index() == 0) {
    device::random_delay(a.launch, band.ticket);
    __threadfence();
    if (a.across > 1) device::store_release(column_flag(a, band.block, band.index), tag_of(band.ticket));
    BlockResult total;
    bool block_failed = false;
    if (add_to_block(a, band, found, failed, total, block_failed)) {
      device::report_block(a.launch, band.block, total, block_failed);
    }
  }
  __syncwarp();
}

}  // namespace terrace::wavefront
