#include "stages/kernel_graph/shared_slots.hpp"

#include <algorithm>
#include <limits>

#include "pipeline/base/rounding.hpp"

namespace terrace::stages {
namespace {

/// Slots to spare: a share of those that are kept, for what only the last checkpoint names. A plan that has fewer
/// makes more checkpoints.
constexpr std::int64_t spare_share = 4;
/// The largest slots that are tried; a disk takes as many bytes at a time at its full rate.
constexpr std::int64_t largest_slot = std::int64_t{1} << 20;
/// Slots are so large that tiles, which fill their last one in part, take no more than this share of the least space
/// in addition.
constexpr std::int64_t most_unused_share = 16;

std::int64_t tile_bytes(const run::ArraySpec& spec) {
  return whole_pages(volume(spec.tile) * static_cast<std::int64_t>(size_of(spec.type)));
}

/// Slots of some bytes that are enough. Beside all that is kept, the last checkpoint may name a generation that has
/// been renewed since, and the tiles in which a block goes on to write.
std::int64_t slots_of(const std::vector<run::ArraySpec>& arrays, const std::vector<std::vector<LiveTiles>>& parts,
                      std::int64_t bytes) {
  LiveTiles most{1, 0, 0};
  for (const std::vector<LiveTiles>& part : parts) {
    LiveTiles sum;
    for (std::size_t n = 0; n < arrays.size(); ++n) {
      if (arrays[n].role != run::Role::scratch) continue;
      const std::int64_t slots = ceiling(tile_bytes(arrays[n]), bytes);
      sum.all += slots * part[n].all;
      sum.renewed += slots * part[n].renewed;
      sum.written += slots * part[n].written;
    }
    most.all = std::max(most.all, sum.all);
    most.renewed = std::max(most.renewed, sum.renewed);
    most.written = std::max(most.written, sum.written);
  }
  return most.all + std::max({ceiling(most.all, spare_share), most.renewed, most.written});
}

}  // namespace

void share_slots(std::vector<run::ArraySpec>& arrays, const std::vector<std::vector<LiveTiles>>& parts) {
  constexpr std::int64_t step = 4;
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), best = page_bytes;
  for (std::int64_t bytes = page_bytes; bytes <= largest_slot; bytes *= step) {
    const std::int64_t all = slots_of(arrays, parts, bytes) * bytes;
    least = std::min(least, all);
    if (all - least <= least / most_unused_share) best = bytes;
  }
  const std::int64_t slots = slots_of(arrays, parts, best);
  for (run::ArraySpec& spec : arrays) {
    if (spec.role != run::Role::scratch) continue;
    spec.slot_file = "scratch";
    spec.slots = slots;
    spec.slot_bytes = best;
  }
}

}  // namespace terrace::stages
