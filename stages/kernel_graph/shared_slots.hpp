// The space on disk of what parts of a graph store: arrays that are not alive at once take the same.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/run/array.hpp"

namespace terrace::stages {

/// Tiles of an array that each phase of a part needs at a time.
struct LiveTiles {
  std::int64_t all = 0;      // that must be kept
  std::int64_t renewed = 0;  // of them, those of which the next phase, or the next block, makes another generation
  std::int64_t written = 0;  // by a block, at most
};

/// Gives the scratch arrays a file of slots that they share (run::ArraySpec::slot_file): of as many as a part needs,
/// and some to spare. @param parts of the parts of a graph, for each array
void share_slots(std::vector<run::ArraySpec>& arrays, const std::vector<std::vector<LiveTiles>>& parts);

}  // namespace terrace::stages
