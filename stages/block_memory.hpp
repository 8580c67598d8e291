// Memory of blocks, and slots on disk for what passes through a plan, as stages reckon them.
#pragma once

#include <cstdint>

#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The memory that the largest block of a plan needs.
struct BlockMemory {
  std::int64_t block = 0;      // bytes of its tiles and of what it reads
  std::int64_t workspace = 0;  // in addition, on a device with memory of its own
  std::int64_t written = 0;    // bytes of the tiles that it writes: from such a device they pass through host memory
  std::int64_t tile = 0;       // the largest of its tiles where it is more than half of `block`: it passes as a whole
};

/// True if the budgets hold the block.
bool holds(const Resources& resources, const BlockMemory& memory);

/// Slots on disk for an array of which `live` tiles are needed at a time and the others dropped: for these, for those
/// that the last cut names, and for some in the making.
std::int64_t slots_of_dropped(std::int64_t live);

}  // namespace terrace::stages
