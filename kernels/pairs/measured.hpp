// The measured rates and sizes of pairs, each with the machine. Results never depend on them. "Not measured" marks a
// value of which no figure is recorded (tests/benchmarks/RESULTS.md has the sizes and commands).
//
// EPYC: AMD EPYC (Zen 3), one of two threads with AVX2, others at work beside it, 2026-11-30.
#pragma once

namespace terrace::pairs::measured {

/// Cells a second of a core, one pair after another. EPYC: 0.44 to 0.65 G.
inline constexpr double plain_rate = 5e8;

/// Cells a second of a core with a pair in each lane.
struct CpuLanes {
  /// EPYC: proteins, blosum62 11/1, all against all: local 15.0 to 20.4 G, global 12.0 G; i with i 9.3 G. Reads of
  /// 150, all against all: local, affine 23.2 to 27.7 G, linear 39.9 G; global, linear 19.2 G. Reads with 5% changed:
  /// local, affine 5.9 to 8.1 G.
  static constexpr double alignments = 1.5e10;
  /// EPYC: edit_distance of reads of 150 42.2 to 49.1 G, of 10,000 letters 76.0 G, at most 600 733 to 832 G; lcs of
  /// reads 61.7 to 70.7 G.
  static constexpr double bits = 5e10;
  /// EPYC: series of 1,024, f32 9.2 to 9.6 G, f64 4.7 to 4.9 G; with symmetric2 6.3 to 6.7 G.
  static constexpr double warping = 9e9;
};

/// Pairs on a GPU.
struct CudaPairs {
  /// Thread blocks of a launch, a multiprocessor. Not measured.
  static constexpr long long blocks = 4;
  /// Cells a second. H200, 2026-11-30: proteins 3.0 T; DNA, linear gaps 5.1 to 6.5 T; edit distance of reads of 150
  /// 9.3 to 10.4 T, of 10,000 letters at most 600 apart 253 T of the whole tables; series of 1,024 f32 4.4 T.
  static constexpr double alignments = 3e12, bits = 9e12, warping = 4e12;
};

/// Alignments of letters with a pair in each lane.
struct CpuLetters {
  /// One group in so many is computed in bytes first: if most of its pairs leave them, the others are not tried.
  /// EPYC, reads with 5% changed, of which 94% leave bytes: 8.1 G cells/s and not 6.4.
  static constexpr long long tried_group = 8;
};

/// Local alignments one after another, each in all lanes.
struct CpuStriped {
  /// The time of a vector of rows, and of a column beside these, in vectors of cells with a pair in each lane. EPYC,
  /// 20 x 21 proteins of 144 to 5,478: 18.5 to 19.1 G cells/s, and 8.0 G with a pair in each lane.
  static constexpr double segment = 1.2, column = 8;
};

}  // namespace terrace::pairs::measured
