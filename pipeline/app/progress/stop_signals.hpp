// SIGINT, SIGTERM, SIGHUP and SIGUSR1 as a wish to stop.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace terrace::app {

/// The state in which a second signal, which ends the process at once, leaves the work.
enum class Left {
  checkpoint,  // the next run continues from the last one; code 75
  nothing      // the work begins anew; code 1
};

/// Keeps the signals that come from now on for the StopSignals that follows. To be called when the process begins, so
/// that it never ends without a word.
void keep_stop_signals();
/// Lets the signals do what they did before keep_stop_signals(), also the one that has come meanwhile: for commands
/// that have no StopSignals. Without keep_stop_signals() nothing.
void let_stop_signals_go();

/// While it lives, the first of these signals (SIGHUP only if it was not ignored) sets a flag, and `notice` is called
/// soon after, within 0.1 s on a machine that is not overloaded, on a thread that does nothing else. Signals that
/// come before the notice count as one: some senders send several. A signal after it ends the process at once, with
/// a line on standard error that says what is left. One object at a time.
class StopSignals {
 public:
  /// @param notice called at most once, on a thread of its own
  explicit StopSignals(std::function<void()> notice, Left left = Left::checkpoint);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Not 0 once a signal has come.
  std::atomic<int>& flag() const;
  /// Sets what a second signal leaves from now on.
  void leaves(Left left);

 private:
  void watch();

  std::function<void()> notice_;
  std::atomic<bool> closing_{false};
  std::thread watcher_;
};

}  // namespace terrace::app
