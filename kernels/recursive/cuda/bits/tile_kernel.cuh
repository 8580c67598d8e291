// The first and the last step of a tile of bits on CUDA: its first content, and its output as bytes.
#pragma once

#include "kernels/recursive/cuda/bits/copies.cuh"

namespace terrace::recursive {

/// A tile that begins as its input, or without bits, or is given out: as bytes of eight cells, or of one. Thread
/// blocks take rows in turn.
struct BitTile {
  BitView x;
  i64 rows, words;
  const u32* input;  // null: the tile begins without bits
  i64 input_stride;
  u8* output;
  i64 output_columns, output_stride;
  i32 packed;
};

template <class Unused>
__global__ void begin_bits_kernel(const TileState* state, BitTile tile) {
  if (state->begun == 0) return;
  for (i64 i = blockIdx.x; i < tile.rows; i += gridDim.x) {
    for (i64 j = threadIdx.x; j < tile.words; j += blockDim.x) {
      tile.x.words[i * tile.x.stride + j] = tile.input != nullptr ? tile.input[i * tile.input_stride + j] : 0;
    }
  }
}

template <class Unused>
__global__ void end_bits_kernel(const TileState* state, BitTile tile) {
  if (state->begun == 0) return;
  for (i64 i = blockIdx.x; i < tile.rows; i += gridDim.x) {
    const u32* row = tile.x.words + i * tile.x.stride;
    for (i64 j = threadIdx.x; j < tile.output_columns; j += blockDim.x) {
      tile.output[i * tile.output_stride + j] =
          static_cast<u8>(tile.packed != 0 ? row[j / 4] >> 8 * (j % 4) & 255u : row[j / 32] >> j % 32 & 1u);
    }
  }
}

}  // namespace terrace::recursive
