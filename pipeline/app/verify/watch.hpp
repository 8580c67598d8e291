// Progress and stops of a verification.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "pipeline/app/progress/part_progress.hpp"
#include "pipeline/app/progress/run_progress.hpp"
#include "pipeline/app/progress/stop_signals.hpp"
#include "pipeline/app/session.hpp"
#include "pipeline/base/watch.hpp"

namespace terrace::app {

/// Shows the progress of a verification, and notices signals that ask it to stop.
class VerifyWatch {
 public:
  /// @param answers gets what answer() is told, in place of standard output; null: standard output
  explicit VerifyWatch(Session& session, std::vector<std::string>* answers = nullptr);

  /// A flag that is not 0 once a signal has come; work that does not look at it calls check_stop() or advance().
  std::atomic<int>& stop() { return signals_.flag(); }
  /// Sets whether computed work is kept from now on when a stop comes, so that the same command resumes it.
  void keep(bool kept);
  /// @throws Stopped if a stop was asked for and computed work is kept; else Error
  void check_stop() const;

  /// Shows that `done` of `all` units of a part of the verification are done, unless the part is a short one.
  /// @throws as check_stop()
  void advance(const std::string& part, const std::string& unit, std::int64_t done, std::int64_t all);
  /// advance() as the watch of stages and plans.
  Watch watch();
  /// Shows the progress of the job's second run.
  void show(const run::RunPlan& plan, const std::string& stage, const run::StageProgress& state,
            const run::Prediction& prediction);

  // The session's functions, which take the progress away first.

  void answer(const std::string& text);
  void note(const std::string& text);
  void warn(const std::string& text);

 private:
  std::string notice() const;

  Session& session_;
  std::vector<std::string>* answers_;
  Progress progress_;
  StopOutlook outlook_;
  std::atomic<bool> keeps_{false}, runs_{false};
  PartProgress parts_;
  StopSignals signals_;  // last: its thread uses the others
};

}  // namespace terrace::app
