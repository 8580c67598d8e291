#include "io/child_check.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include "pipeline/base/error.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::io {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void run_child(pid_t parent, const std::function<void()>& attempt) noexcept {
  // The child must not outlive its parent, whose locks it inherits, nor leave a core file or words of its own.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  for (int signal_number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) signal(signal_number, SIG_DFL);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
  }
  try {
    attempt();
  } catch (...) {
    // The caller finds the same error when it does the same.
  }
  _exit(0);
}

/// The child's status, or nothing when the time is up.
std::optional<int> wait_until(pid_t child, Clock::time_point end) {
  auto pause = std::chrono::microseconds(100);
  for (;;) {
    int status = 0;
    const pid_t got = waitpid(child, &status, WNOHANG);
    if (got == child) return status;
    if (got < 0 && errno != EINTR) return 0;
    if (Clock::now() >= end) return std::nullopt;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(10000));
  }
}

}  // namespace

void try_in_child(const std::string& where, const std::string& library, double seconds,
                  const std::function<void()>& attempt) {
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw IoError(where, std::string("no process can be started to check the file: ") + strerror(errno));
  if (child == 0) run_child(parent, attempt);
  const auto status = wait_until(child, end);
  if (!status) {
    kill(child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    throw IoError(where, library + " did not come back from this file within " + format_duration(seconds) +
                             "; the file is damaged, or its disk does not answer");
  }
  if (WIFSIGNALED(*status)) {
    throw IoError(where, library + " crashes on this file (" + strsignal(WTERMSIG(*status)) + "); it is damaged");
  }
}

}  // namespace terrace::io
