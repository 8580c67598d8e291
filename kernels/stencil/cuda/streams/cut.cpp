#include "kernels/stencil/cuda/streams/cut.hpp"

#include <algorithm>

#include "pipeline/base/rounding.hpp"

namespace terrace::stencil {

StreamCut::StreamCut(const StencilSpec& spec, const measured::StreamSizes& sizes,
                     unsigned (*resident_blocks)(unsigned warps, bool aligned))
    : spec_(spec), sizes_(sizes) {
  for (const bool aligned : {false, true}) {
    for (unsigned warps = 1; warps <= static_cast<unsigned>(sizes.warps); ++warps) {
      resident_[static_cast<std::size_t>(aligned)].push_back(resident_blocks(warps, aligned));
    }
  }
}

i64 StreamCut::most_levels(const StencilTask& task) const {
  return levels_at_once(spec_, task, i64{sizes_.levels} * sizes_.warps);
}

StreamChunks StreamCut::chunks_of(i64 rows, i64 halo, i64 chunk, bool wraps, i64 resident, unsigned warps) const {
  const i64 tile = 32 * i64{sizes_.cells}, side = rounded_up(halo, chunk), width = spec_.width();
  const i64 least = 2 * spec_.radius, extra = 2 * halo + i64{warps} * sizes_.rows;
  StreamChunks chunks{};
  chunks.stride = tile - 2 * side;
  chunks.tiles = wraps ? ceiling(width, chunks.stride) : 1 + ceiling(width - tile, chunks.stride);
  chunks.end_tiles = wraps ? 0 : std::min<i64>(chunks.tiles, 2);
  // All thread blocks run at once, or those of the tiles at the ends come first and have ended long before the last.
  const auto cut_into = [&](i64 height) {
    const auto waves = [&] { return ceiling(chunks.blocks(rows), resident); };
    const i64 time = height + extra, eighths = measured::CudaStream::eighths_at_ends;
    chunks.rows = chunks.end_rows = height;
    const i64 even = waves() == 1 ? time * eighths / 8 : waves() * time;
    chunks.end_rows = std::min(height, std::max(time * 8 / eighths - extra, least));
    const i64 balanced = waves() * time;
    if (even < balanced) chunks.end_rows = height;
    return std::min(even, balanced);
  };
  cut_into(best_chunk_rows(rows, least, resident, cut_into));
  return chunks;
}

}  // namespace terrace::stencil
