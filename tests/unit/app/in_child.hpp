// A part of a test that runs in a process of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <functional>
#include <string>
#include <utility>

namespace terrace::app {

/// Runs `child` in a process of its own whose standard error is a pipe. @returns its end (the exit code, or minus the
/// signal), and its output
inline std::pair<int, std::string> in_child(const std::function<void()>& child) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const pid_t process = ::fork();
  if (process == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    // Default actions, instead of the test program's.
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGABRT}) std::signal(number, SIG_DFL);
    child();
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 256> part{};
  for (ssize_t got = 0; (got = ::read(ends[0], part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(process, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), text};
}

}  // namespace terrace::app
