// The order in which thread blocks compute the parts of a matrix.
#pragma once

#include "kernels/device/integers.hpp"
#include "kernels/recursive/measured.hpp"

namespace terrace::recursive {

using device::i32;

/// The part of x that a thread block computes: some rows of parts from left to right before the next ones, so that
/// parts under way share panels.
struct PartPlace {
  i32 row, column;
};
/// @param turn rows of parts that are computed together
__device__ __forceinline__ PartPlace part_place(i32 index, i32 row_tiles, i32 column_tiles,
                                                i32 turn = measured::CudaProducts::rows_in_turn) {
  const i32 first = index / (turn * column_tiles) * turn;
  const i32 high = row_tiles - first < turn ? row_tiles - first : turn;
  const i32 within = index - first * column_tiles;
  return {first + within % high, within / high};
}

}  // namespace terrace::recursive
