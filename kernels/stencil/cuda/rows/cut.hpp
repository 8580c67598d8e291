// The tiles, chunks and depths of launches that stream rows (kernel.cuh).
#pragma once

#include <functional>
#include <vector>

#include "kernels/stencil/cuda/common/blocks.hpp"
#include "kernels/stencil/cuda/common/choice.hpp"
#include "kernels/stencil/cuda/rows/task.hpp"

namespace terrace::stencil {

/// The cut of a grid for a kernel of some sizes.
class StreamCut {
 public:
  /// @param resident_blocks of StreamLauncher
  StreamCut(const StencilSpec& spec, const measured::StreamSizes& sizes,
            const std::function<unsigned(unsigned warps, bool aligned)>& resident_blocks);

  /// The most steps at once of a slab, and the number of steps of which others are best a multiple.
  i64 most_levels(const StencilTask& task) const;
  i64 levels_of_warp() const { return sizes_.levels; }
  /// Warps of a thread block that makes so many levels.
  unsigned warps_for(i64 levels) const { return static_cast<unsigned>((levels + sizes_.levels - 1) / sizes_.levels); }

  /// The rows of a launch that makes levels of a grid with rows of at least a tile.
  template <class T, int fields>
  StreamRows<T, fields> rows_of(const Levels<T>& levels) const {
    StreamRows<T, fields> task{};
    task.rows = levels.output;
    task.extent = spec_.extents[0];
    task.width = spec_.width();
    task.levels = static_cast<i32>(levels.count);
    task.keeps_rows = spec_.faces[0].low != Face::periodic;
    task.wraps_rows = levels.whole && task.keeps_rows == 0;
    task.wraps_columns = spec_.faces[2].low == Face::periodic;
    task.aligned = 1;
    for (int f = 0; f < fields; ++f) {
      task.from[f] = levels.from[f];
      task.to[f] = levels.to[f];
      task.aligned = task.aligned && is_aligned(task.from[f], task.width) && is_aligned(task.to[f], task.width);
    }
    cut(task.rows.count(), warps_for(levels.count), static_cast<i64>(16 / sizeof(T)), task.wraps_columns != 0,
        task.aligned != 0, task.chunks);
    return task;
  }
  /// Thread blocks of a launch.
  template <class T, int fields>
  static unsigned blocks_of(const StreamRows<T, fields>& task) {
    return static_cast<unsigned>(task.chunks.blocks());
  }

 private:
  /// @param warps of a thread block @param chunk values of 16 bytes @param wraps true if columns are periodic
  void cut(i64 rows, unsigned warps, i64 chunk, bool wraps, bool aligned, RowChunks& chunks) const;

  StencilSpec spec_;
  measured::StreamSizes sizes_;
  std::vector<i64> resident_[2];  // thread blocks by warps, of rows that are not aligned, and that are
};

}  // namespace terrace::stencil
