// The files in which tiles of a stage's arrays have slots on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/base/box.hpp"
#include "pipeline/run/array.hpp"

namespace terrace::run {

/// True if versions of the array may be on disk in slots, and not only at home.
bool needs_slots(const ArraySpec& spec);
/// Slots that an array needs: for its live versions, and spare ones for the tiles of a checkpoint in the making.
std::int64_t slots_needed(const ArraySpec& spec, const TileGrid& grid);
/// Bytes of a tile on disk, a multiple of the page.
std::int64_t tile_bytes(const ArraySpec& spec, const TileGrid& grid);

/// A file of slots of one size, of one array or of several that share it.
struct SlotFileSpec {
  std::string name;  // unique in the stage
  std::vector<std::size_t> arrays;
  std::int64_t slots = 0;  // 0: its array needs none
  std::int64_t slot_bytes = 0;
};

/// The files of all arrays, in the order of their first arrays.
/// @throws Error if arrays that share a file state different slots, or are no scratch
std::vector<SlotFileSpec> slot_files(const std::vector<ArraySpec>& specs);

}  // namespace terrace::run
