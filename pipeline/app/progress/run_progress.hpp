// The progress of a run, and the outlook of a stop, for people.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "pipeline/app/progress/progress.hpp"
#include "pipeline/run/run.hpp"

namespace terrace::app {

/// The progress of a stage of the plan, in the form in which it is shown.
ProgressState shown_progress(const run::RunPlan& plan, const std::string& stage, const run::StageProgress& state,
                             const run::Prediction& prediction);

/// The work that a stop at a checkpoint waits for, as the run last reported it: noted by one thread, put into words
/// by another.
class StopOutlook {
 public:
  void note(const run::StageProgress& state);
  /// To be called when a time limit is the reason of the stop, before its notice.
  void limit_comes() { limit_comes_ = true; }
  /// "stopping at a checkpoint: ...".
  std::string notice() const;
  /// The time that a stop is expected to take: twice that of the writing, and the longest time from the end of one
  /// block to the end of the next.
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;

  std::int64_t done_blocks_ = -1;    // as last noted
  Clock::time_point last_end_ = {};  // of a block
  std::atomic<double> longest_{0};   // seconds
  std::atomic<bool> computing_{false}, limit_comes_{false};
  std::atomic<double> dirty_bytes_{0}, disk_rate_{1};
};

}  // namespace terrace::app
