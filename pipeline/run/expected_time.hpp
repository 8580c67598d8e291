// The time and the memory that a stage is expected to take.
#pragma once

#include "pipeline/run/run_plan.hpp"
#include "pipeline/run/stage.hpp"

namespace terrace::run {

/// Rates assumed of disks and links that nobody has measured; of disks, as measured on local ones (direct writes on
/// three machines, 2.3 to 3.8 GB/s). For predictions only.
inline constexpr double assumed_disk_bytes_per_second = 2.5e9;
inline constexpr double assumed_link_bytes_per_second = 50e9;

/// Bytes a second in which generated inputs are made. Two threads of an AMD EPYC.
inline constexpr double assumed_generated_bytes_per_second = 4e9;

/// Bytes of host memory a second that the system gives out, each page at its first use. A virtual machine of two
/// processors (AMD EPYC) took 1 to 4 s for a GiB where its host had to find the pages, and 0.25 s where it had them.
inline constexpr double assumed_new_memory_bytes_per_second = 2e9;

/// Seconds assumed for the host to prepare, start and settle a block; a lower bound: 8,836 blocks of 64 x 64 cells
/// took 0.3 ms each on two busy threads of an AMD EPYC. Only where blocks are so small that they outnumber the work
/// does a stage take that long.
inline constexpr double assumed_block_seconds = 20e-6;

/// Predicted seconds of the parts of a stage's work, each by itself.
struct PredictedTimes {
  double compute = 0, link = 0, disk = 0;
  double blocks = 0;  // to prepare, start and settle all blocks
  double memory = 0;  // until the system has given out the host memory that the stage takes
  double made = 0;    // to make generated inputs

  /// "computing", "disk", "link", "blocks", "new memory" or "generated inputs": the longest; "": none takes any time.
  const char* bound() const;
};

PredictedTimes predicted_times(const PlannedStage& planned);

/// Predicted seconds of a stage. What is moved is moved beside computing, but for the first and the last of the
/// pieces in which it comes and goes, the tiles of its largest array; of what stays in memory, beside the first and
/// the last pass. Over the link nothing is moved beside computing if the prediction says so (link_waits).
double predicted_seconds(const PlannedStage& planned);

/// Bytes of host memory with which a stage has all that it can use: its arrays, in what is made anew a few tiles more
/// for generations that follow one another, two blocks, and what the host's kernels work on.
double memory_of_all(const Stage& stage);

/// Bytes of host memory that a stage takes at most, its workspace included.
double memory_taken(const PlannedStage& planned);

}  // namespace terrace::run
