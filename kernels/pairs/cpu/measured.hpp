// The measured costs of pairs on the CPU beside those of their cells (../measured.hpp, which says what is measured
// how).
#pragma once

namespace terrace::pairs::measured {

/// Costs of the method `lanes`.
struct CpuLanesBeside {
  /// Seconds of a core for a pair: its place among others of its length, its letters in lanes, its score. EPYC, other
  /// programs beside, 4 to 25 million pairs of 5 and 30 elements, user and system time: local alignments 60 to 160
  /// ns, edit_distance 200 to 280 ns, dtw 200 to 220 ns.
  static constexpr double alignment = 8e-8, bits = 2.2e-7, warping = 2e-7;
  /// Seconds of a block of any number of pairs. EPYC, as above, 1,000 blocks of 361 pairs: 130 us.
  static constexpr double block = 1.3e-4;
};

/// Costs of the method `plain`.
struct CpuPlainBeside {
  /// Seconds of a core for a pair. EPYC, as above, 25 million pairs of 5 letters: local alignments 140 to 170 ns,
  /// edit_distance 70 ns, for which lanes take longer.
  static constexpr double pair = 1.2e-7;
};

}  // namespace terrace::pairs::measured
