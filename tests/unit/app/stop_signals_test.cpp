// Signals as a wish to stop: each is noticed once, a second one ends the process, children are left alone.
#include "pipeline/app/progress/stop_signals.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "pipeline/app/progress/time_limit.hpp"
#include "pipeline/app/session.hpp"
#include "tests/unit/app/in_child.hpp"

namespace terrace::app {
namespace {

using Clock = std::chrono::steady_clock;

/// Waits for at most `seconds` without yielding, as a thread that computes. @returns true if it came true
bool busy_until(const std::function<bool()>& condition, double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (!condition() && Clock::now() < end) {
  }
  return condition();
}

}  // namespace

TEST_CASE("Each signal that asks for a stop is noticed once, on a thread of its own, whatever the others do") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    INFO("signal " << number);
    std::atomic<int> notices = 0;
    std::atomic<bool> elsewhere = false;
    const auto here = std::this_thread::get_id();
    StopSignals signals([&] {
      elsewhere = std::this_thread::get_id() != here;
      ++notices;
    });
    CHECK(signals.flag() == 0);
    // Twice: some senders signal a process and the group that it is in.
    std::raise(number);
    std::raise(number);
    CHECK(signals.flag() != 0);
    CHECK(busy_until([&] { return notices > 0; }, 2));
    CHECK(elsewhere);
    CHECK(notices == 1);
  }
}

TEST_CASE("No signal, no notice; and afterwards signals do what they did before") {
  int notices = 0;
  {
    StopSignals signals([&] { ++notices; });
  }
  CHECK(notices == 0);
  for (const int number : {SIGINT, SIGUSR1}) {
    const auto [code, text] = in_child([&] {
      {
        StopSignals signals([] {});
      }
      std::raise(number);
    });
    CHECK(code == -number);
    CHECK(text.empty());
  }
}

TEST_CASE("Signals that come before there is an object that notices them are kept for it") {
  const auto [code, text] = in_child([] {
    keep_stop_signals();
    std::raise(SIGTERM);
    std::raise(SIGINT);
    std::atomic<int> notices = 0;
    bool kept = false;
    {
      StopSignals signals([&] { ++notices; });
      kept = signals.flag() != 0 && busy_until([&] { return notices > 0; }, 10);
    }
    StopSignals later([] {});
    ::_exit(kept && notices == 1 && later.flag() == 0 ? 0 : 1);
  });
  CHECK(code == 0);
  CHECK(text.empty());
}

TEST_CASE("After the work of a process that kept the signals, they change nothing") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    const auto [code, text] = in_child([&] {
      keep_stop_signals();
      {
        StopSignals signals([] {});
      }
      std::raise(number);
      std::raise(number);
      ::_exit(exit_stopped);
    });
    CHECK(code == exit_stopped);
    CHECK(text.empty());
  }
}

TEST_CASE("Signals change nothing once the work is complete, and do afterwards what they did before") {
  const auto [code, text] = in_child([] {
    std::atomic<int> notices = 0;
    {
      StopSignals signals([&] { ++notices; });
      std::raise(SIGINT);  // so late that its notice would come after the end
      signals.complete();
      std::raise(SIGINT);
      std::raise(SIGTERM);
    }
    if (notices > 0) ::_exit(1);
    std::raise(SIGTERM);
  });
  CHECK(code == -SIGTERM);
  CHECK(text.empty());
}

TEST_CASE("Signals that were kept for nobody do what they did before") {
  for (const int number : {SIGTERM, SIGUSR1}) {
    CHECK(in_child([&] {
            keep_stop_signals();
            std::raise(number);
            let_stop_signals_go();
          }).first == -number);
    CHECK(in_child([&] {
            keep_stop_signals();
            let_stop_signals_go();
            let_stop_signals_go();
            std::raise(number);
          }).first == -number);
  }
  CHECK(in_child([] {
          std::signal(SIGTERM, SIG_IGN);
          keep_stop_signals();
          std::raise(SIGTERM);
          let_stop_signals_go();
        }).first == 0);
}

TEST_CASE("A signal after the notice ends the process at once, and a line says so") {
  const auto [code, text] = in_child([] {
    std::atomic<bool> noticed = false;
    StopSignals signals([&] { noticed = true; });
    std::raise(SIGTERM);
    if (!busy_until([&] { return noticed.load(); }, 10)) ::_exit(1);
    std::raise(SIGINT);
  });
  CHECK(code == exit_stopped);
  CHECK(text == "stopped at once; the same command continues from the last checkpoint, if there is one\n");
}

TEST_CASE("A signal that ends work of which nothing is kept says so, with another code") {
  for (const Left last : {Left::nothing, Left::checkpoint}) {
    const auto [code, text] = in_child([&] {
      std::atomic<bool> noticed = false;
      StopSignals signals([&] { noticed = true; }, Left::nothing);
      signals.leaves(last);
      std::raise(SIGTERM);
      if (!busy_until([&] { return noticed.load(); }, 10)) ::_exit(2);
      std::raise(SIGINT);
    });
    CHECK(code == (last == Left::nothing ? exit_failed : exit_stopped));
    CHECK((text.find("nothing is kept") != text.npos) == (last == Left::nothing));
  }
}

TEST_CASE("A signal after a notice that does not come to its end ends the process, too") {
  const auto [code, text] = in_child([] {
    std::atomic<bool> begun = false;
    StopSignals signals([&] {
      begun = true;
      for (;;) ::pause();
    });
    std::raise(SIGTERM);
    if (!busy_until([&] { return begun.load(); }, 10)) ::_exit(1);
    std::raise(SIGTERM);
  });
  CHECK(code == exit_stopped);
}

TEST_CASE("After a stop for a time limit the first signal is a first one, and the next ends the process") {
  const auto [code, text] = in_child([] {
    std::atomic<int> notices = 0;
    StopSignals signals([&] { ++notices; });
    signals.request();
    if (!busy_until([&] { return notices == 1 && signals.flag() != 0; }, 10)) ::_exit(1);
    std::raise(SIGUSR1);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::raise(SIGTERM);
    ::_exit(2);
  });
  CHECK(code == exit_stopped);
  CHECK(text.starts_with("stopped at once"));
}

TEST_CASE("Time limits are numbers with units, one after another") {
  CHECK(parse_time_limit("3h50m") == 3 * 3600 + 50 * 60);
  CHECK(parse_time_limit("1d 2h 3min 4s") == 86400 + 2 * 3600 + 3 * 60 + 4);
  CHECK(parse_time_limit("1500ms") == 1.5);
  CHECK(parse_time_limit("1.5h") == 5400);
  CHECK(parse_time_limit("1e3s") == 1000);
  for (const char* wrong : {"", "3", "h", "1h30", "-1s", "0s", "1y", "1e3", "1s x", "1e999s", "inf s"}) {
    CHECK(parse_time_limit(wrong) == std::nullopt);
  }
}

TEST_CASE("A time limit asks for a stop before its end") {
  const auto [code, text] = in_child([] {
    StopSignals signals([] {});
    StopOutlook outlook;
    const auto begin = TimeSpan::Clock::now();
    const TimeLimit limit(time_span("1s"), signals, outlook);
    const bool stopped = busy_until([&] { return signals.flag() != 0; }, 10);
    const double seconds = std::chrono::duration<double>(TimeSpan::Clock::now() - begin).count();
    ::_exit(stopped && seconds > 0.5 ? 0 : 1);
  });
  CHECK(code == 0);
}

TEST_CASE("A child of the process leaves signals to its parent") {
  const auto [code, text] = in_child([] {
    StopSignals signals([] {});
    const pid_t child = ::fork();
    if (child == 0) {
      std::raise(SIGINT);
      ::_exit(7);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    const bool lived = WIFEXITED(status) && WEXITSTATUS(status) == 7;
    ::_exit(lived && signals.flag() == 0 ? 0 : 1);
  });
  CHECK(code == 0);
}

TEST_CASE("A signal that was ignored before stays so where it says that a terminal went away") {
  const auto [code, text] = in_child([] {
    std::signal(SIGHUP, SIG_IGN);
    StopSignals signals([] {});
    std::raise(SIGHUP);
    ::_exit(signals.flag() == 0 ? 0 : 1);
  });
  CHECK(code == 0);
}

}  // namespace terrace::app
