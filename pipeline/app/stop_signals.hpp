// SIGINT, SIGTERM and SIGHUP as a wish to stop.
#pragma once

#include <atomic>

namespace terrace::app {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP (unless that was ignored) sets a flag; a second one ends the
/// process at once with code 75: what is durable by then is what the next run goes on from. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Not 0 once a signal has come.
  std::atomic<int>& flag();
};

}  // namespace terrace::app
