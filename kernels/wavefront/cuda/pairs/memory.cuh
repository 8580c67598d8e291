// The shared memory of a warp that sweeps local alignments in 16 bits. No host library header: also compiled at run
// time.
#pragma once

#include "kernels/wavefront/cuda/bands/bands.cuh"
#include "kernels/wavefront/cuda/bands/table_piece.cuh"
#include "kernels/wavefront/measured.hpp"

namespace terrace::wavefront {

/// What a warp keeps in shared memory.
template <int planes, int R>
struct PairMemory {
  static constexpr int ring = measured::CudaPairs::ring_pieces * piece, state_words = planes * (R + 1);

  KernelBand band;
  // Of column x at x % ring, and of the first piece of the ring behind its end again, so that no lane's piece wraps:
  // what picks the scores of rows (selectors.cuh), and above it the column's letter.
  alignas(16) u32 selectors[ring + piece + 4];
  alignas(8) u32 bottom[piece];  // H and F below the band in the columns that its lowest row passes in a piece
  // This piece and the one that may hold the cell to report, in turn:
  alignas(16) u32 top[2][piece + 4];  // H and F above the first lane's columns
  u32 state[2][state_words][32];      // of every lane at the beginning
  i32 base[2];
  device::u8 letters[64 * R];  // of the band's rows

  /// Before the first band.
  __device__ void begin() {
    for (int at = lane_index(); at < ring + piece + 4; at += 32) selectors[at] = 0;
  }
};

}  // namespace terrace::wavefront
