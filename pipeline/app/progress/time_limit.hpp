// A limit of the time that a run may take, by the command line or the scheduler of a cluster.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "pipeline/app/progress/run_progress.hpp"
#include "pipeline/app/progress/stop_signals.hpp"

namespace terrace::app {

/// The span in which a run may work.
struct TimeSpan {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin, end;

  double seconds() const { return std::chrono::duration<double>(end - begin).count(); }
  double seconds_left() const { return std::chrono::duration<double>(end - Clock::now()).count(); }
  /// The least time before the end at which work is asked to stop, in seconds.
  double margin() const;
};

/// Seconds of a text such as "3h50m", "90s", "1d" or "2h 5min"; nullopt if it is none, or not above 0.
std::optional<double> parse_time_limit(std::string_view text);

/// The span that begins now and ends with the limit or, without one, at the time that the scheduler has set in
/// SLURM_JOB_END_TIME (seconds since 1970); nullopt without both.
/// @param limit as parse_time_limit() takes it; empty: none
std::optional<TimeSpan> time_span(const std::string& limit);

/// While it lives, asks for a stop so early before the end of a span that a checkpoint is expected to be complete
/// then.
class TimeLimit {
 public:
  /// @param signals, outlook must outlive it
  TimeLimit(const std::optional<TimeSpan>& span, StopSignals& signals, StopOutlook& outlook);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  void watch(TimeSpan span);

  StopSignals& signals_;
  StopOutlook& outlook_;
  std::mutex mutex_;
  std::condition_variable closes_;
  bool closing_ = false;
  std::thread watcher_;
};

}  // namespace terrace::app
