// Sizes of the kernels of tables with many dimensions.
#pragma once

namespace terrace::dp_table::measured {

/// Steps that are searched for those not needed. Not measured.
inline constexpr unsigned long long most_closed_steps = 1 << 16;

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
  /// Warps of a thread block. Not measured.
  static constexpr int warps = 8;
  /// Multiprocessors that cuts are chosen for. Not measured.
  static constexpr int processors = 132;
  /// Thread blocks of a multiprocessor. Not measured.
  static constexpr int resident = 4;
  /// Nanoseconds from the last sub-block of a level to the first of the next. Not measured.
  static constexpr double level = 1500;
  /// Nanoseconds of a sub-block apart from its cells. Not measured.
  static constexpr double ticket = 1200;
  /// Nanoseconds in which each thread prepares a step. Not measured.
  static constexpr double stage = 60;
  /// Nanoseconds from one level of a sub-block to the next. Not measured.
  static constexpr double barrier = 60;
  /// Nanoseconds of a cell apart from its look-ups. Not measured.
  static constexpr double round = 250;
  /// Nanoseconds of a look-up by a warp, several in flight. Not measured.
  static constexpr double latency = 40;
  /// Nanoseconds of a look-up by a warp where it is the multiprocessor that limits. Not measured.
  static constexpr double look_up = 1.0;
  /// Part of the lanes that one more line along the last dimension costs. Not measured.
  static constexpr double line_level = 0.1;
  /// Cells of a sub-block, before it is doubled for the last time. Not measured.
  static constexpr long long most_cells = 8192;
  /// In tiles of more cells sub-blocks are short: the steps that fit all of their cells make others needless. Not
  /// measured.
  static constexpr long long small_cells = 1 << 20, least_blocks_along = 4;
  /// Steps in shared memory. Not measured.
  static constexpr int most_staged = 1024;
};

}  // namespace terrace::dp_table::measured
