// Cells on their way to a table: a ring of pieces of 32 columns in shared memory, which the sweeping warp fills.
// Where the ring holds more pieces than that warp works on, another warp stores them, the storer, so that the
// sweeping warp only sweeps.
//
// Pieces count from the launch's first on, over all of the sweeping warp's bands: piece n is at n % pieces. Lanes
// that have not begun, and lanes that have ended, leave cells that nobody needs in the piece before a band's first
// one and in the one after its last one: these are one piece of the ring, between two bands.
#pragma once

#include "kernels/wavefront/cuda/bands/table_piece.cuh"

namespace terrace::wavefront {

using device::Phases;

/// The ring of one sweeping warp. The functions are called by all lanes of a warp.
/// @tparam rows of a band @tparam held pieces: 2, and the sweeping warp stores them itself, or a larger power of two
template <class V, int rows, int held>
struct TableRing {
  static_assert(held > 1 && (held & (held - 1)) == 0);
  static constexpr bool has_storer = held > 2;
  static constexpr u32 columns = held * piece;
  static constexpr i32 nothing = -1;

  alignas(16) V cells[rows][columns];  // [row of the band]
  u32 pieces;                          // before the next band's own
  i32 first[held];                     // column of the band with which a piece begins; `nothing`: it is not stored
  Phases kept[held];                   // of each place: a piece is complete
  Phases stored[held];                 // and has been stored
  Phases left;                         // its first one ends when the sweeping warp keeps no more

  /// One thread, before all else.
  __device__ void begin() {
    pieces = 1;
    device::begin_phases(left);
    for (int place = 0; place < held; ++place) {
      device::begin_phases(kept[place]);
      device::begin_phases(stored[place]);
    }
  }
  /// By the sweeping warp, before the first band: piece 0 is the one between two bands.
  __device__ void pass_first() { give(0, nothing); }
  __device__ void end() { device::end_phase(left); }

  __device__ __forceinline__ static u32 place_of(u32 number) { return number % held; }
  /// The parity of the phase that a piece is of its place.
  __device__ __forceinline__ static u32 parity_of(u32 number) { return number / held & 1; }

  /// Waits until the place of a piece is free. The storer needs nothing but time.
  __device__ __forceinline__ void wait_for_place(u32 number) const {
    wait(stored[place_of(number)], parity_of(number) ^ 1);
  }
  /// Hands a complete piece to the storer.
  __device__ __forceinline__ void give(u32 number, i32 first_column) {
    if (lane_index() == 0) first[place_of(number)] = first_column;
    device::end_phase(kept[place_of(number)]);
  }
  /// Waits until a piece and all before it are stored.
  __device__ __forceinline__ void wait_for_store(u32 number) const {
    wait(stored[place_of(number)], parity_of(number));
  }

  /// The work of the storer: stores pieces of bands until there are no more.
  /// @param band the sweeping warp's, as it was when it gave the pieces
  template <int R>
  __device__ void store(const SweepArguments& a, const KernelBand& band) {
    for (u32 number = 0;; ++number) {
      const u32 place = place_of(number);
      while (!__all_sync(~0u, device::wait_for_end(kept[place], parity_of(number)))) {
        if (__any_sync(~0u, device::has_ended(left, 0))) return;
      }
      device::random_delay(a.launch, number);
      const i32 first_column = first[place];
      if (first_column != nothing) {
        store_table_piece<V, R>(a, band, cells, static_cast<int>(place) * piece, first_column, lane_index());
      }
      device::end_phase(stored[place]);
    }
  }

 private:
  __device__ __forceinline__ static void wait(const Phases& phases, u32 parity) {
    while (!__all_sync(~0u, device::wait_for_end(phases, parity))) {
    }
  }
};

/// No table is kept.
template <class V, int rows>
struct TableRing<V, rows, 0> {
  static constexpr bool has_storer = false;
  __device__ void begin() {}
};

}  // namespace terrace::wavefront
