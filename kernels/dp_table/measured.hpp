// Sizes of the kernels of tables with many dimensions.
#pragma once

namespace terrace::dp_table::measured {

/// Parts of a tile that threads of the CPU compute. Not measured.
struct CpuParts {
  static constexpr long long parts_a_thread = 32;
  static constexpr long long least_cells = 512, most_cells = 16384;
  static constexpr long long line_bonus = 64;  // lines are cut when they are this many times as long as other extents
};

}  // namespace terrace::dp_table::measured
