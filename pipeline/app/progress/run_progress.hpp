// The progress of a run, and the outlook of a stop, for people.
#pragma once

#include <atomic>
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
  /// "stopping at a checkpoint: ...".
  std::string notice() const;

 private:
  std::atomic<bool> computing_{false};
  std::atomic<double> dirty_bytes_{0}, disk_rate_{1};
};

}  // namespace terrace::app
