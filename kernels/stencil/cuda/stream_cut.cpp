#include "kernels/stencil/cuda/stream_cut.hpp"

#include <algorithm>

namespace terrace::stencil {

StreamCut::StreamCut(const StencilSpec& spec, const measured::StreamSizes& sizes,
                     unsigned (*resident_blocks)(unsigned warps))
    : spec_(spec), sizes_(sizes) {
  for (int warps = 1; warps <= sizes.warps; ++warps)
    resident_.push_back(resident_blocks(static_cast<unsigned>(warps)));
}

i64 StreamCut::most_levels(const StencilTask& task) const {
  const i64 most = i64{sizes_.levels} * sizes_.warps;
  const i64 wanted = spec_.depth > 0 ? std::min<i64>(most, spec_.depth) : most;
  // A slab hands on rows of its own alone.
  return task.whole != 0 ? wanted : std::clamp<i64>(spec_.slab_rows / (2 * spec_.radius), 1, wanted);
}

void StreamCut::set_tiles(i64 halo, i64 chunk, bool wraps, i64& tiles, i64& stride) const {
  const i64 tile = 32 * i64{sizes_.cells}, side = (halo + chunk - 1) / chunk * chunk, width = spec_.width();
  stride = tile - 2 * side;
  tiles = wraps ? (width + stride - 1) / stride : 1 + (width - tile + stride - 1) / stride;
}

/// The rows of a chunk with which all is done soonest: many chunks keep the device busy, and each reads rows above
/// and below it.
i64 StreamCut::chunk_rows(i64 rows, i64 tiles, i64 halo, unsigned warps) const {
  const i64 resident = resident_[warps - 1], extra = 2 * halo + i64{warps} * sizes_.rows;
  i64 best = rows, least = -1;
  for (i64 chunks = 1; chunks <= std::max<i64>(1, std::min<i64>(rows / (2 * spec_.radius), 8 * resident)); ++chunks) {
    const i64 height = (rows + chunks - 1) / chunks, waves = (tiles * chunks + resident - 1) / resident;
    const i64 time = waves * (height + extra);
    if (least >= 0 && time >= least) continue;
    least = time;
    best = height;
  }
  return best;
}

}  // namespace terrace::stencil
