// Letters of several items, side by side: what vectors with an item in each lane load.
#pragma once

#include "kernels/pairs/task.hpp"

namespace terrace::pairs {

/// An item in a lane.
struct LaneLetters {
  const u8* letters;
  i64 count;
};

/// Writes letters [0, count) of each of `lanes` items: those of one place one after another. Beyond an item's end
/// stands `pad`.
/// @param items as many as lanes, rounded up to 16 @param lanes a multiple of 16, or less
void write_lanes(const LaneLetters* items, i64 lanes, i64 count, u8 pad, u8* out);

}  // namespace terrace::pairs
