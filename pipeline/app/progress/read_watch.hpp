// Progress and stops of what a run reads beside its blocks: to plan, and to check what it computed.
#pragma once

#include <chrono>
#include <optional>

#include "pipeline/app/progress/part_progress.hpp"
#include "pipeline/app/progress/stop_signals.hpp"
#include "pipeline/base/watch.hpp"

namespace terrace::app {

class ReadWatch {
 public:
  /// @param signals, progress must outlive it
  ReadWatch(const StopSignals& signals, Progress& progress) : signals_(signals), parts_(progress) {}

  /// Sets whether an earlier attempt has made checkpoints; to be called before what is watched begins.
  void resumes(bool begun) {
    begun_ = begun;
    computing_ = false;
  }
  /// To be called when planning has ended.
  void computes() { computing_ = true; }

  /// The watch of plans. It must not outlive this object. While the run is planned it throws Stopped at once when a
  /// signal has come, later after a short time: what was computed since the last checkpoint is not lost to a check
  /// that is about to end.
  Watch watch();
  /// @throws Stopped likewise
  void check_stop();

 private:
  using Clock = std::chrono::steady_clock;

  const StopSignals& signals_;
  PartProgress parts_;
  bool begun_ = false, computing_ = false;
  std::optional<Clock::time_point> asked_;  // when a stop was first seen while the run computed
};

}  // namespace terrace::app
