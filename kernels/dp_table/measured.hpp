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

}  // namespace terrace::dp_table::measured
