// The shared memory of a warp that sweeps letters or values: a ring of pieces of 32 columns, which its courier fills,
// and the warp's own data.
#pragma once

#include "kernels/launch/port.cuh"
#include "kernels/wavefront/cuda/bands/bands.cuh"
#include "kernels/wavefront/cuda/letters/profile.cuh"
#include "kernels/wavefront/cuda/letters/table_ring.cuh"
#include "kernels/wavefront/measured.hpp"

namespace terrace::wavefront {

/// Data of a sweeping warp in shared memory, and pieces that its courier brings.
///
/// Pieces count from the launch's first on, over all of the warp's bands: piece n is at n % held. C pieces before a
/// band's own are for lanes that have not begun, and C pieces after them, which are the first ones of the next band,
/// for lanes that have not ended: with the item 0 and the border 0. The ring's first piece of items is stored again
/// after its end, so that no lane's 32 columns wrap.
///
/// @tparam table_pieces pieces of cells on their way to the table, 0 if there is none
template <class V, int planes, int R, int C, int table_pieces, bool profiled>
struct WarpMemory {
  static_assert(C == 1 || C == 2 || C == 4);
  static constexpr int held = measured::CudaLetters::ring_pieces, ring = held * piece;  // pieces, columns
  static constexpr int beside = C;  // pieces between the columns of two bands
  static constexpr int state_words = 2 * R + 1 + 2 * C;

  KernelBand band;
  u32 pieces;  // before the band's own
  // Data of a band for the courier:
  i32 under;             // columns above which the border lies in the problem's window
  bool coded;            // letters must be turned into codes that select their scores
  bool no_more;          // there are no more bands
  Phases announced;      // one a band
  Phases left;           // its first one ends when the launch is over
  Phases brought[held];  // of each place in the ring: a piece is there
  Phases passed[held];   // and all lanes have passed it
  u64 known[held];       // the largest cell of the launch that was known of when the piece was brought
  u32 odd[held];         // not 0: the piece has letters that are not below 4

  LaneProfiles<profiled ? R : 0> profiles;
  alignas(16) V items[ring + piece + C];  // of columns
  // The border above the first lane's columns, and after the ring's end the border of the piece that may hold the
  // cell to report:
  alignas(16) V top[planes][ring + piece + C];
  alignas(16) V bottom[planes][ring + C];   // below the band, column x at kept_at(x)
  alignas(16) V state[2][state_words][32];  // of every lane at the beginning of this piece and of the kept one
  using Table = TableRing<V, 32 * R, table_pieces>;
  Table table;

  /// Place of a column's values below the band: contiguous for the columns that the last lane passes in a piece.
  __device__ static int kept_at(i32 column) { return ((column - C) & (ring - 1)) + C; }
  __device__ static u32 place_of(u32 piece_number) { return piece_number % held; }
  /// The parity of the phase that the piece is of its place.
  __device__ static u32 parity_of(u32 piece_number) { return piece_number / held & 1; }

  /// Before the first band; lanes may read any item before their first column, too.
  __device__ void begin() {
    for (int at = lane_index(); at < ring + piece + C; at += 32) {
      items[at] = V(0);
      for (int plane = 0; plane < planes; ++plane) top[plane][at] = V(0);
    }
    if (lane_index() == 0) {
      pieces = C;
      no_more = false;
      device::begin_phases(announced);
      device::begin_phases(left);
      table.begin();
      for (int place = 0; place < held; ++place) {
        device::begin_phases(brought[place]);
        device::begin_phases(passed[place]);
      }
    }
    __syncwarp();
    for (int place = 0; place < beside; ++place) device::end_phase(brought[place]);
    if constexpr (Table::has_storer) table.pass_first();
  }
  /// After the last band.
  __device__ void end() {
    if (lane_index() == 0) no_more = true;
    device::end_phase(announced);
    if constexpr (Table::has_storer) table.end();
  }
  /// Puts an item where lanes find it. @param column from the launch's first piece on
  __device__ __forceinline__ void keep_item(u32 column, V item) {
    const u32 at = column % ring;
    items[at] = item;
    if (at < piece) items[ring + at] = item;
  }
};

}  // namespace terrace::wavefront
