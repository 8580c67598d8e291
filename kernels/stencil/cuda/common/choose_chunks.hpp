// The choice of a launch's chunks, by the time that it takes.
#pragma once

#include <algorithm>

#include "kernels/stencil/cuda/common/chunks.hpp"
#include "pipeline/base/rounding.hpp"

namespace terrace::stencil {

/// The thread blocks that a launch may have, and their time, in rows.
struct ChunkTimes {
  i64 resident;             // thread blocks that run at a time
  i64 extra;                // rows that a thread block makes in addition to those of its chunk
  i64 low_extra;            // the same for a lower chunk
  i64 least, most;          // rows of a chunk
  i64 eighths_at_ends = 8;  // time of a row of a tile at an end, in eighths of other rows' time
};

/// Chooses chunks of which all are made in `time`, so many of the higher ones one after another. @return false: there
/// are none
inline bool fit_chunks(RowChunks& chunks, const ChunkTimes& times, i64 time, i64 turns) {
  constexpr i64 more_turns = 24;  // of lower chunks, that are tried
  const i64 inner = chunks.inner_tiles(), of_chunk = time / turns;
  chunks.low_rows = chunks.all;
  chunks.rows = std::min(of_chunk - times.extra, chunks.all);
  chunks.end_rows = std::min(of_chunk * 8 / times.eighths_at_ends - times.extra, chunks.all);
  if (chunks.rows < times.least || chunks.end_rows < times.least) return false;
  chunks.end_count = ceiling(chunks.all, chunks.end_rows);
  const i64 left = turns * times.resident - chunks.end_blocks();
  if (left < 0) return false;
  const i64 most = inner == 0 ? 0 : std::min(ceiling(chunks.all, chunks.rows), left / inner);
  for (chunks.count = most; chunks.count >= std::max<i64>(0, most - 1); --chunks.count) {
    const i64 below = inner == 0 ? 0 : chunks.rows_below(), idle = left - chunks.count * inner;
    if (below == 0) return true;
    const i64 least = idle > 0 ? ceiling(inner, idle) : 0;
    for (i64 low_turns = least; low_turns < least + more_turns && idle > 0; ++low_turns) {
      chunks.low_rows = std::min(of_chunk / low_turns - times.low_extra, below);
      if (chunks.low_rows < times.least) break;
      if (ceiling(below, chunks.low_rows) * inner <= low_turns * idle) return true;
    }
  }
  return false;
}

/// Chooses the chunks of a launch, whose rows and tiles are set, that take the least time. @return that time
inline i64 choose_chunks(RowChunks& chunks, const ChunkTimes& times) {
  constexpr i64 more_turns = 4;  // of the higher chunks, that are tried
  const auto fit = [&](i64 time) {
    const i64 least = chunks.all <= times.most ? 1 : ceiling(time, times.most + times.extra);
    for (i64 turns = least; turns < least + more_turns; ++turns) {
      if (fit_chunks(chunks, times, time, turns)) return true;
    }
    return false;
  };
  const i64 longest = 2 * (chunks.all + times.low_extra) * (chunks.tiles + 2);
  if (!fit(longest)) {
    // The device runs fewer thread blocks at a time than there are kinds of tiles.
    chunks.rows = chunks.end_rows = chunks.low_rows = chunks.all;
    chunks.count = chunks.end_count = 1;
    return longest;
  }
  i64 least = 0, most = longest;
  while (most - least > 1) {
    const i64 time = least + (most - least) / 2;
    (fit(time) ? most : least) = time;
  }
  fit(most);
  return most;
}

}  // namespace terrace::stencil
