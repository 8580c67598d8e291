#include "kernels/stencil/cuda/streams/cut.hpp"

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

i64 StreamCut::chunk_rows(i64 rows, i64 tiles, i64 halo, unsigned warps) const {
  return best_chunk_rows(rows, 2 * spec_.radius, tiles, resident_[warps - 1], 2 * halo + i64{warps} * sizes_.rows);
}

}  // namespace terrace::stencil
