// SIGINT, SIGTERM, SIGHUP and SIGUSR1 as a wish to stop.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace terrace::app {

/// The state of the work after a second signal, which ends the process at once.
enum class Left {
  checkpoint,  // the next run continues from the last one; code 75
  nothing      // the work begins again; code 1
};

/// Keeps the signals that come from now on for the StopSignals that follows. To be called when the process begins, so
/// that it never ends without a message. After that StopSignals they are ignored: its work has ended, and the process
/// ends with the work's exit code.
void keep_stop_signals();
/// Restores the actions that the signals had before keep_stop_signals(), also for a signal that has come in between:
/// for commands that have no StopSignals. Without keep_stop_signals() it does nothing.
void let_stop_signals_go();

/// While it lives, the first of these signals (SIGHUP only if it was not ignored) sets a flag, and `notice` is called
/// soon after, within 0.1 s on a machine that is not overloaded, on a thread of its own. Signals that come before the
/// notice count as one: some senders send several. A later signal ends the process at once, with a line on standard
/// error that names the state of the work. One object at a time. Its destructor restores the actions that the signals
/// had before, unless keep_stop_signals() was called.
class StopSignals {
 public:
  /// @param notice called at most once, on a thread of its own
  explicit StopSignals(std::function<void()> notice, Left left = Left::checkpoint);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Not 0 once a signal has come.
  std::atomic<int>& flag() const;
  /// Asks for a stop. The signal that comes next is then still a first one, which does not end the process at once.
  void request();
  /// Sets the state of the work after a second signal, from now on.
  void leaves(Left left);
  /// Ignores the signals from now on: the work is complete. A notice that is not being given yet is left out.
  void complete();

 private:
  void watch();

  std::function<void()> notice_;
  bool ends_process_ = false;  // the process has no other work
  std::atomic<bool> closing_{false}, complete_{false};
  std::thread watcher_;
};

}  // namespace terrace::app
