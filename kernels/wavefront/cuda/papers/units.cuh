// Distribution of the kernel tiles of a launch to thread blocks: rows of tiles with flags or counters between
// neighbours, or single tiles in waves with a barrier between them.
#pragma once

#include "kernels/wavefront/cuda/bands/bands.cuh"
#include "kernels/wavefront/rules/tiles.hpp"

namespace terrace::wavefront {

/// Conditions for which a tile waits.
enum class TileOrder : i32 {
  waves,    // all tiles of the anti-diagonals of tiles before it, of the whole launch
  flags,    // the flag of the tile of the row above that it needs (Belviranli et al. 2015, section 3.2)
  counters  // that many tiles of the row above (Li 2020, section 6.3.5)
};

/// Arguments of the kernel of tiles. A row of tiles is a band of `sweep`; in waves tickets are tiles, else bands.
struct TileArguments {
  SweepArguments sweep;
  TileShape shape;
  TileWaves waves;  // of a block of full size
  TileOrder order;
  u64* finished;          // tiles of the launch that are done, in waves
  u64* progress;          // flags [slot][band % ring][tile]: ticket + 1; or counters [slot][band]
  u64 ring;               // a row's flags are used again by the ring-th row below it; at least 2, or all bands
  unsigned char* rows;    // [slot]: H, and F, below the row of tiles that was there last, in place
  u64 row_bytes;          // of a slot
  i64 row_stride;         // elements from H to F
  unsigned char* states;  // [slot][band]: state of a row of tiles in global memory
  u64 state_bytes;
  u32 item_mask;  // columns' items are at column & item_mask: at least a tile's columns and its height
};

/// Data of a unit of work that a thread block shares: tiles [first_tile, end_tile) of the row of tiles `band`.
struct TileUnit {
  KernelBand band;
  Matrix matrix;
  WavePlace place;  // in waves: of the last tile, in block `placed`
  u64 placed;
  i64 first_tile, end_tile;
  Candidate found;
  u64 best;
  u32 best_row;
};

/// Tiles of the unit's row of tiles.
__device__ inline i64 tiles_across(const TileArguments& a, const TileUnit& unit) {
  return a.shape.across(unit.band.width);
}

/// Gives the thread block its next tile, once the waves before are done. All lanes of the first warp call it.
__device__ inline bool take_tile(const TileArguments& a, TileUnit& unit) {
  const device::Launch& launch = a.sweep.launch;
  const u64 tiles = static_cast<u64>(a.waves.down * a.waves.across);
  for (;;) {
    const u64 ticket = device::take_ticket_by_warp(launch);
    if (ticket >= a.sweep.tickets) return false;
    const u64 block = ticket / tiles, number = ticket % tiles;
    const auto begin = [&] {
      if (unit.placed != block) unit.place = WavePlace{}, unit.placed = block;
      unit.place.advance(a.waves, static_cast<i64>(number));
      return device::wait_for(launch, a.finished, block * tiles + static_cast<u64>(unit.place.begin), block) &&
             device::begin_block(launch, block, number == 0, &slot_of(a.sweep, block)->kept.block);
    };
    if (!device::wait_by_first_lane(begin)) return false;
    const bool in_block = place_band(a.sweep, block * a.sweep.bands + static_cast<u64>(unit.place.row), unit.band);
    if (in_block && unit.place.tile < tiles_across(a, unit)) return true;
    if (lane_index() == 0) {
      __threadfence();
      atomicAdd(a.finished, u64{1});
    }
    __syncwarp();
  }
}

/// Gives the thread block its next unit; false when there is none, or the launch is over. All lanes of the first warp
/// call it.
__device__ inline bool take_unit(const TileArguments& a, TileUnit& unit) {
  const bool waves = a.order == TileOrder::waves;
  const bool taken = waves ? take_tile(a, unit) : take_band(a.sweep, unit.band);
  __syncwarp();
  if (taken && lane_index() == 0) {
    unit.first_tile = waves ? unit.place.tile : 0;
    unit.end_tile = waves ? unit.place.tile + 1 : tiles_across(a, unit);
  }
  __syncwarp();
  return taken;
}

/// The word by which the row of tiles with that ticket reports its tile as done, and the word's least value then.
struct TileSignal {
  u64* word;
  u64 value;
};
__device__ inline TileSignal signal_of(const TileArguments& a, u64 ticket, i64 tile) {
  const u64 at = static_cast<u64>(tile), across = static_cast<u64>(a.waves.across);
  const u64 block = ticket / a.sweep.bands, band = ticket % a.sweep.bands, slot = block % a.sweep.launch.slots;
  if (a.order == TileOrder::flags) {
    return {a.progress + (slot * a.ring + band % a.ring) * across + at, ticket + 1};
  }
  return {a.progress + slot * a.sweep.bands + band, (block + 1) * (across + 1) + at + 1};
}

/// Waits until the row of tiles above has done the tiles that tile `tile` of this one needs (one thread); false when
/// the launch is over. The row above may be the last one of the block above.
__device__ inline bool wait_for_above(const TileArguments& a, const TileUnit& unit, i64 tile) {
  const KernelBand& band = unit.band;
  if (!top_is_tagged(band)) return !device::must_leave(a.sweep.launch, band.block);
  const i64 last = tiles_across(a, unit) - 1, needed = tile + a.shape.ahead();
  const TileSignal signal = signal_of(a, band.ticket - 1, needed < last ? needed : last);
  return device::wait_until<device::backoffs::tile_above>(
      [&] { return device::load_acquire(signal.word) >= signal.value; },
      [&] { return device::must_leave(a.sweep.launch, band.block); });
}

/// Says that the tile is done (one thread, after all stores of the thread block).
__device__ inline void signal_tile(const TileArguments& a, const TileUnit& unit, i64 tile) {
  device::random_delay(a.sweep.launch, unit.band.ticket + static_cast<u64>(tile));
  __threadfence();
  if (a.order == TileOrder::waves) {
    atomicAdd(a.finished, u64{1});
  } else {
    const TileSignal signal = signal_of(a, unit.band.ticket, tile);
    device::store_release(signal.word, signal.value);
  }
}

}  // namespace terrace::wavefront
