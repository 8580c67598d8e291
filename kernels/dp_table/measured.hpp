// Sizes of the kernels of tables with many dimensions.
#pragma once

namespace terrace::dp_table::measured {

/// Parts of a tile that threads of the CPU compute.
struct CpuParts {
  /// Parts for each thread, in large tiles. Not measured.
  static constexpr long long parts_a_thread = 32;
  /// Cells of a part. Not measured.
  static constexpr long long least_cells = 512, most_cells = 16384;
  /// Lines, along the last dimension, are cut when they are so many times as long as other extents. Not measured.
  static constexpr long long line_bonus = 64;
};

/// Tiles on CUDA (cuda/): the times by which a tile's cut is chosen, and limits. Not measured.
struct CudaTiles {
  static constexpr int warps = 8;            // of a thread block
  static constexpr int processors = 132;     // that cuts are chosen for
  static constexpr int resident = 4;         // thread blocks of a multiprocessor
  static constexpr double level = 1500;      // ns from the last sub-block of a level to the first of the next
  static constexpr double ticket = 1200;     // ns of a sub-block apart from its cells
  static constexpr double stage = 60;        // ns in which each thread prepares a step
  static constexpr double barrier = 60;      // ns from one level of a sub-block to the next
  static constexpr double round = 250;       // ns of a cell apart from its look-ups
  static constexpr double latency = 40;      // ns of a look-up by a warp, several in flight
  static constexpr double look_up = 1.0;     // ns of a look-up by a warp where it is the multiprocessor that limits
  static constexpr double line_level = 0.1;  // part of the lanes that one more line along the last dimension costs
  static constexpr long long most_cells = 8192;  // of a sub-block, before it is doubled for the last time
  // In tiles of more cells sub-blocks are short: the steps that fit all of their cells make others needless.
  static constexpr long long small_cells = 1 << 20, least_blocks_along = 4;
  static constexpr int most_staged = 1024;                          // steps in shared memory
  static constexpr unsigned long long most_closed_steps = 1 << 16;  // that are searched for steps not needed
};

}  // namespace terrace::dp_table::measured
