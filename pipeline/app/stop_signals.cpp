#include "pipeline/app/stop_signals.hpp"

#include <unistd.h>

#include <csignal>

#include "pipeline/app/session.hpp"

namespace terrace::app {
namespace {

// A signal handler reaches nothing but statics.
std::atomic<int> stop_requests{0};

extern "C" void on_stop_signal(int) {
  if (stop_requests.fetch_add(1) > 0) ::_exit(exit_stopped);
}

}  // namespace

StopSignals::StopSignals() {
  stop_requests = 0;
  std::signal(SIGINT, on_stop_signal);
  std::signal(SIGTERM, on_stop_signal);
  // Whoever started the program with nohup wants it to go on.
  if (std::signal(SIGHUP, on_stop_signal) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

StopSignals::~StopSignals() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (std::signal(SIGHUP, SIG_DFL) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

std::atomic<int>& StopSignals::flag() { return stop_requests; }

}  // namespace terrace::app
