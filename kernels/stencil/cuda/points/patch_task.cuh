// The points of a launch, and what a thread block knows of a patch beside its cells.
#pragma once

#include "kernels/stencil/cuda/points/lists.hpp"
#include "kernels/stencil/cuda/steps/kernel.cuh"

namespace terrace::stencil {

/// The points of a launch.
template <class F, class T>
struct PointsTask {
  StepTask<F, T> levels;  // `from` the level before the launch, `to` the last one, of which `rows` are written
  i32 count;              // levels
  i32 in_shared;          // not 0: patches are in shared memory, else in `points.patches`
  PatchShape shape;
  PointLists<T> points;
};

__device__ __forceinline__ bool is_same_cell(const PointPlace& a, const PointPlace& b) {
  return a.index[0] == b.index[0] && a.index[1] == b.index[1] && a.index[2] == b.index[2];
}

/// The sources in a patch, with their values of all levels: in shared memory.
template <class T>
struct NearSources {
  static constexpr i32 most = 24;  // a patch with more looks for them after each level
  static constexpr i32 source_bits = 40;

  u32 count;      // also of those that have no room here
  u64 key[most];  // cell of the patch, and number of the source, in the order in which they are found
  // In the order of cells, and those of a cell in the order in which they are added:
  i32 cell[most], field[most], last_level[most];  // the last level at which the cell is made
  i64 first[most];
  T values[most][most_steps_at_once];
};

/// The cells of a level that are made side by side.
struct alignas(16) LevelCells {
  i32 offset;                  // of the first one in the level
  i32 width, middles, groups;  // along the axes; groups of planes, each made by a thread
  i32 planes, bits;            // bits: LineGroups
  i32 first_row, first_middle, first_last;
};

/// Shared memory of a thread block beside the patch.
template <class T>
struct PatchRest {
  NearSources<T> sources;
  LevelCells levels[most_steps_at_once + 1];  // level 0 has none
};

/// Where the values of a receiver are recorded.
template <class T>
struct Trace {
  T* to = nullptr;    // its value of the first time; null: there is no receiver
  i64 receivers = 0;  // values from one time to the next
  i64 every = 1;      // steps from one time to the next
  i64 steps = 0;      // since the last time, when the launch begins
  PointPlace place{};
};

}  // namespace terrace::stencil
