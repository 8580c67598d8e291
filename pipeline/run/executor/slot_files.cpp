#include "pipeline/run/executor/slot_files.hpp"

#include <algorithm>

#include "pipeline/base/error.hpp"
#include "pipeline/base/rounding.hpp"

namespace terrace::run {

bool needs_slots(const ArraySpec& spec) {
  return spec.role == Role::scratch || (spec.role == Role::result && spec.generations > 1);
}

std::int64_t slots_needed(const ArraySpec& spec, const TileGrid& grid) {
  if (!needs_slots(spec)) return 0;
  if (spec.slots > 0) return spec.slots;
  const std::int64_t tiles = spec.live > 0 ? std::min(spec.live, grid.count()) : grid.count();
  // If tiles are only updated in place, all of them may change between two checkpoints.
  const std::int64_t spare = spec.kept == 1 ? tiles : (tiles + 3) / 4;
  return tiles * spec.kept + std::max({spec.spare, std::min<std::int64_t>(tiles * spec.kept, 8), spare});
}

std::int64_t tile_bytes(const ArraySpec& spec, const TileGrid& grid) {
  const auto bytes = volume(grid.tile_shape()) * static_cast<std::int64_t>(size_of(spec.type));
  return whole_pages(bytes);
}

std::vector<SlotFileSpec> slot_files(const std::vector<ArraySpec>& specs) {
  std::vector<SlotFileSpec> files;
  for (std::size_t array = 0; array < specs.size(); ++array) {
    const ArraySpec& spec = specs[array];
    const TileGrid grid(spec.shape, spec.tile);
    const bool shares = !spec.slot_file.empty();
    if (shares && (spec.role != Role::scratch || spec.slots <= 0 || spec.slot_bytes <= 0)) {
      throw Error("array " + spec.name + " shares the slots of " + spec.slot_file +
                  ", and states none or is no scratch");
    }
    const auto shared = std::ranges::find_if(files, [&](const SlotFileSpec& file) {
      return shares && specs[file.arrays.front()].slot_file == spec.slot_file;
    });
    if (shared == files.end()) {
      files.push_back({shares ? spec.slot_file : spec.name,
                       {array},
                       slots_needed(spec, grid),
                       shares ? spec.slot_bytes : tile_bytes(spec, grid)});
      continue;
    }
    if (shared->slots != spec.slots || shared->slot_bytes != spec.slot_bytes) {
      throw Error("arrays that share " + spec.slot_file + " state different slots");
    }
    shared->arrays.push_back(array);
  }
  return files;
}

}  // namespace terrace::run
