#include "pipeline/app/progress/stop_signals.hpp"

#include <poll.h>
#include <semaphore.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>
#include <utility>

#include "pipeline/app/progress/terminal.hpp"
#include "pipeline/app/session.hpp"

namespace terrace::app {
namespace {

// A signal handler reaches nothing but statics.
std::atomic<int> stop_requests{0};
std::atomic<bool> next_stops_at_once{false};
std::atomic<pid_t> owner{0};
std::atomic<bool> on_terminal{false};
std::atomic<Left> left_at_once{Left::checkpoint};
std::atomic<int> first_signal{0}, signals_seen{0};
sem_t requested;

constexpr std::array<int, 4> signals{SIGINT, SIGTERM, SIGHUP, SIGUSR1};

// Actions that the signals had before. One thread at a time sets handlers and restores them.
std::array<struct sigaction, signals.size()> before{};
bool kept = false;  // by keep_stop_signals(), and nobody has taken over yet

/// The time in which further signals count as the first: `timeout` and job schedulers signal a process and its group.
constexpr auto gathering = std::chrono::milliseconds(20);

constexpr std::string_view last_words =
    "stopped at once; the same command continues from the last checkpoint, if there is one\n";
constexpr std::string_view last_words_of_nothing = "stopped at once; nothing is kept, the same command begins anew\n";

/// Writes to standard error unless that would block. Safe in a signal handler.
void write_now(std::string_view text) {
  pollfd stream{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&stream, 1, 0) != 1) return;
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

/// Calls only functions that are safe in a signal handler.
extern "C" void on_stop_signal(int number) {
  // A child that checks a file gets the terminal's Ctrl-C, too; its parent decides for both.
  if (::getpid() != owner.load()) return;
  if (next_stops_at_once.load()) {
    if (on_terminal.load()) write_now(clear_line);
    const bool continues = left_at_once.load() == Left::checkpoint;
    write_now(continues ? last_words : last_words_of_nothing);
    ::_exit(continues ? exit_stopped : exit_failed);
  }
  const int error_before = errno;
  stop_requests.fetch_add(1);
  if (signals_seen.fetch_add(1) == 0) {
    first_signal = number;
    ::sem_post(&requested);
  }
  errno = error_before;
}

void set_handlers() {
  stop_requests = signals_seen = 0;
  next_stops_at_once = false;
  owner = ::getpid();
  on_terminal = ::isatty(STDERR_FILENO) == 1;
  ::sem_init(&requested, 0, 0);
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], nullptr, &before[i]);
    // A program that was started with nohup must continue when its terminal is closed.
    if (signals[i] == SIGHUP && before[i].sa_handler == SIG_IGN) continue;
    ::sigaction(signals[i], &action, nullptr);
  }
}

void restore_handlers() {
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before[i], nullptr);
}

void ignore_signals() {
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  ::sigemptyset(&action.sa_mask);
  for (const int number : signals) ::sigaction(number, &action, nullptr);
}

}  // namespace

void keep_stop_signals() {
  set_handlers();
  kept = true;
}

void let_stop_signals_go() {
  if (!std::exchange(kept, false)) return;
  restore_handlers();
  ::sem_destroy(&requested);
  if (stop_requests != 0) std::raise(first_signal);
}

StopSignals::StopSignals(std::function<void()> notice, Left left) : notice_(std::move(notice)) {
  leaves(left);
  ends_process_ = std::exchange(kept, false);
  if (!ends_process_) set_handlers();
  watcher_ = std::thread([this] { watch(); });
}

StopSignals::~StopSignals() {
  // By its default action, a signal would end a process that has only to return its exit code.
  if (ends_process_) ignore_signals();
  else restore_handlers();
  closing_ = true;
  ::sem_post(&requested);
  watcher_.join();
  ::sem_destroy(&requested);
}

void StopSignals::watch() {
  for (bool told = false; !next_stops_at_once; told = true) {
    while (::sem_wait(&requested) != 0 && errno == EINTR) {
    }
    if (closing_) return;
    std::this_thread::sleep_for(gathering);
    if (complete_) return;
    // Before the notice, which may take long if its reader has stopped reading.
    next_stops_at_once = signals_seen != 0;
    if (told) continue;
    try {
      notice_();
    } catch (...) {
      // The run stops with or without its notice.
    }
  }
}

std::atomic<int>& StopSignals::flag() const { return stop_requests; }

void StopSignals::request() {
  if (stop_requests.fetch_add(1) == 0) ::sem_post(&requested);
}

void StopSignals::complete() {
  complete_ = true;
  ignore_signals();
}

void StopSignals::leaves(Left left) { left_at_once = left; }

}  // namespace terrace::app
