// The shared memory of a warp that sweeps local alignments in 16 bits.
#pragma once

#include "kernels/wavefront/cuda/bands/bands.cuh"
#include "kernels/wavefront/cuda/bands/table_piece.cuh"
#include "kernels/wavefront/measured.hpp"

namespace terrace::wavefront {

/// Data of a warp in shared memory.
template <int planes, int R>
struct PairMemory {
  static constexpr int ring = measured::CudaPairs::ring_pieces * piece, state_words = planes * (R + 1);

  KernelBand band;
  // Column x is at x % ring, and the first piece of the ring again after its end, so that no lane's piece wraps:
  // the selector of the rows' scores (selectors.cuh), and above it the column's letter.
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
