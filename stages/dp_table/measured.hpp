// The measured sizes that plans of tables with many dimensions assume. Results never depend on them. Rates of the
// kernels stand in kernels/dp_table/measured.hpp.
#pragma once

#include <cstdint>

namespace terrace::stages::measured {

/// Tables that are dealt to several devices (dealing.cpp).
struct DealtTables {
  /// Tiles of such a table, at most. Not measured.
  static constexpr std::int64_t most_tiles = 4096;
  /// Cuts that memory holds of which the time is found, at most: of large tables that takes up to seconds each. Not
  /// measured.
  static constexpr int most_looked_at = 8;
  /// Cells from which further devices are opened: to open one takes 0.3 s. H200, 8.7e10 cells: 4.19 s.
  static constexpr double least_cells = 6e9;
};

}  // namespace terrace::stages::measured
