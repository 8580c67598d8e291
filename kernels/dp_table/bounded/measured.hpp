// Sizes of the kernels of tables whose steps are bounded.
#pragma once

namespace terrace::dp_table::measured {

/// Passes of bounded steps on the CPU.
struct BoundedCpu {
  /// Bytes of a segment. Not measured.
  static constexpr long long segment_bytes = 512 << 10;
  /// Segments for each thread, and the elements of the shortest. Not measured.
  static constexpr long long segments_a_thread = 4, least_segment = 512;
  /// The share of a segment that passes of a group may read before it: a quarter. Not measured.
  static constexpr long long reach_share = 4;
};

/// Passes of bounded steps on CUDA (cuda/).
struct BoundedCuda {
  /// Bytes of a thread block's elements in shared memory, in two copies; two thread blocks fit a multiprocessor of an
  /// H100. Not measured.
  static constexpr long long shared_bytes = 96 << 10;
};

}  // namespace terrace::dp_table::measured
