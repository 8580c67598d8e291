#include "kernels/stencil/cuda/rows/cut.hpp"

#include <algorithm>

#include "kernels/stencil/cuda/common/choose_chunks.hpp"

namespace terrace::stencil {

StreamCut::StreamCut(const StencilSpec& spec, const measured::StreamSizes& sizes,
                     const std::function<unsigned(unsigned warps, bool aligned)>& resident_blocks)
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

void StreamCut::cut(i64 rows, unsigned warps, i64 chunk, bool wraps, bool aligned, RowChunks& chunks) const {
  const i64 halo = i64{spec_.radius} * sizes_.levels * warps, side = rounded_up(halo, chunk);
  const i64 tile = 32 * i64{sizes_.cells}, width = spec_.width();
  chunks.stride = tile - 2 * side;
  chunks.all = rows;
  chunks.tiles = wraps ? ceiling(width, chunks.stride) : 1 + ceiling(width - tile, chunks.stride);
  chunks.end_tiles = wraps ? 0 : std::min<i64>(chunks.tiles, 2);
  const i64 extra = 2 * halo + i64{warps} * sizes_.rows;
  choose_chunks(chunks, {.resident = resident_[static_cast<std::size_t>(aligned)][warps - 1],
                         .extra = extra,
                         .low_extra = extra + measured::CudaStream::rows_to_begin,
                         .least = std::min<i64>(rows, 2 * spec_.radius),
                         .most = measured::CudaStream::most_chunk_rows(static_cast<int>(size_of(spec_.value))),
                         .eighths_at_ends = measured::CudaStream::eighths_at_ends});
}

}  // namespace terrace::stencil
