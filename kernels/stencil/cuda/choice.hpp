// Conditions of the kernels that make several steps of a sum at once, and the cut of their launches into chunks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/stencil/cuda/blocks/lines.hpp"
#include "kernels/stencil/operators.hpp"
#include "kernels/stencil/separable.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

inline bool keeps_or_wraps(const Faces& faces) {
  return faces.low == faces.high && (faces.low == Face::fixed || faces.low == Face::periodic);
}

/// True if the rows begin at multiples of 16 bytes, and so do lines of that many values of which they consist.
template <class T>
bool is_aligned(const Lines<T>& lines, i64 line) {
  bool aligned = line * static_cast<i64>(sizeof(T)) % 16 == 0;
  for (i32 piece = 0; piece < lines.pieces; ++piece) {
    aligned = aligned && reinterpret_cast<std::uintptr_t>(lines.data[piece]) % 16 == 0;
  }
  return aligned;
}

/// The rows of a chunk with which all is done soonest: many chunks keep the device busy, and each takes `extra` rows
/// of time in addition to its own. @param least rows of a chunk @param tiles of a row of chunks
/// @param resident thread blocks, each with a chunk of a tile, that run at a time
inline i64 best_chunk_rows(i64 rows, i64 least, i64 tiles, i64 resident, i64 extra) {
  i64 best = rows, least_time = -1;
  for (i64 chunks = 1; chunks <= std::max<i64>(1, std::min<i64>(rows / least, 8 * resident)); ++chunks) {
    const i64 height = (rows + chunks - 1) / chunks, waves = (tiles * chunks + resident - 1) / resident;
    const i64 time = waves * (height + extra);
    if (least_time >= 0 && time >= least_time) continue;
    least_time = time;
    best = height;
  }
  return best;
}

}  // namespace terrace::stencil
