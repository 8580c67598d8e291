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
  /// Runs are cut when they are so many times as long as other extents. Not measured.
  static constexpr long long run_bonus = 64;
  /// Cells of a run of several dimensions, and bytes of the masks of all runs. Not measured.
  static constexpr long long most_run_cells = 1024, most_mask_bytes = 256 << 10;
};

/// Tiles on CUDA (cuda/): sizes, limits, and the times by which a tile's slabs are chosen.
struct CudaTiles {
  /// Threads of a thread block. Others: not measured.
  static constexpr int threads = 256;
  /// Thread blocks of a multiprocessor that registers suffice for. H100, 2026-11-26, 2.9e9 cells of 8 dimensions,
  /// before lists were brought ahead: 244 ms; with 3 306 ms.
  static constexpr int resident = 4;
  /// Multiprocessors that slabs are chosen for: an H100's.
  static constexpr int processors = 132;
  /// Bytes of a slab's cells in shared memory, with their states; four slabs fit a multiprocessor. H100, alike: 40
  /// KiB 244 ms, 20 KiB 231 ms, 8 KiB 496 ms.
  static constexpr long long slab_bytes = 40 << 10;
  /// Outer steps that are prepared in shared memory, and inner steps of a slab, all of them there. Not measured.
  static constexpr int most_staged = 768, most_inner = 512;
  /// Waves of thread blocks a level up to which values are gathered while the level before is made. H100, 2026-11-27:
  /// 2.9e9 cells with 17 waves 117 ms without that and 128 with it; of tiles with 0.4 waves 7.5 and 6.4 ms.
  static constexpr int early_waves = 4;
  // The times by which slabs are chosen, in nanoseconds, fitted to 50 times of 20 tables with slabs of several
  // shapes, which they give with a mean error of 20%, 0.6 to 1.4 times each.
  /// Time of a launch. H100, 2026-11-27.
  static constexpr double launch = 13000;
  /// Time of a slab apart from its steps, and of preparing as many steps as a thread block has threads. H100,
  /// alike.
  static constexpr double ticket = 1750, stage = 500;
  /// Time until the values of a few steps and cells of a thread are there, and the share of it that is left where
  /// values are gathered early. H100, alike.
  static constexpr double latency = 375, early = 0.675;
  /// Time of a warp's look-up where the multiprocessor limits. H100, alike.
  static constexpr double look_up = 0.8;
  /// Steps as which one counts that leaves the slab from some cells alone. H100, alike.
  static constexpr double crossing = 8;
  /// Time from one level of a slab to the next, and of an inner step there. H100, alike.
  static constexpr double barrier = 115, inner_step = 118;
};

}  // namespace terrace::dp_table::measured
