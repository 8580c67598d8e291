#include "io/child_check.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>

#include "io/files/entry.hpp"
#include "io/input_file.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/fault.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::io {
namespace {

using Clock = std::chrono::steady_clock;

/// The first byte that a child sends. The result of `attempt` follows, or the messages of an error, each ended by a
/// byte 0.
enum Outcome : char { returned = 'r', job_error = 'j', disk_error = 'd', io_error = 'i', other_error = 'o' };

/// Bytes of address space that this process has.
std::size_t address_space() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
}

/// The limit holds for all memory that the child takes from now on.
void limit_memory(std::size_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, std::min<rlim_t>(limit.rlim_cur, address_space() + bytes));
  setrlimit(RLIMIT_AS, &limit);
}

std::string outcome_of(const std::string& where, const std::string& library, const ChildLimits& limits,
                       const std::function<std::string()>& attempt) {
  const auto message = [](Outcome kind, const std::string& text) { return char(kind) + text + '\0'; };
  try {
    return char(returned) + attempt();
  } catch (const JobError& error) {
    std::string all(1, job_error);
    for (const std::string& text : error.messages()) all += text + '\0';
    return all;
  } catch (const DiskError& error) {
    return message(disk_error, error.what());
  } catch (const IoError& error) {
    return message(io_error, error.what());
  } catch (const std::bad_alloc&) {
    return message(io_error, where + ": " + library + " takes more than " +
                                 format_size(static_cast<double>(limits.memory)) +
                                 " of memory for what this file says that it holds; it is damaged");
  } catch (const Error& error) {
    return message(other_error, error.what());
  } catch (const std::exception&) {
    return message(other_error, describe_fault(where));
  }
}

void send(int pipe_end, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = ::write(pipe_end, bytes.data() + sent, bytes.size() - sent);
    if (count < 0 && errno != EINTR) _exit(1);  // nobody waits for it any more
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
}

[[noreturn]] void run_child(pid_t parent, int pipe_end, std::size_t memory,
                            const std::function<std::string()>& outcome) noexcept {
  // The child must not outlive its parent for long, and must write no core file and no messages.
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
  limit_memory(memory);
  try {
    send(pipe_end, outcome());
  } catch (...) {
    _exit(1);  // no memory is left for the words of an error
  }
  _exit(0);
}

/// All bytes from the pipe until its other end is closed, or nullopt when the time is up.
std::optional<std::string> read_until(int pipe_end, Clock::time_point end) {
  std::string bytes;
  std::array<char, 1 << 16> part;
  for (;;) {
    const double left = std::chrono::duration<double, std::milli>(end - Clock::now()).count();
    pollfd readable{pipe_end, POLLIN, 0};
    const int ready = ::poll(&readable, 1, static_cast<int>(std::clamp(std::ceil(left), 0.0, 1e9)));
    if (ready == 0 && left <= 0) return std::nullopt;
    if (ready <= 0) continue;
    const ssize_t count = ::read(pipe_end, part.data(), part.size());
    if (count > 0) bytes.append(part.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) return bytes;
  }
}

int status_of_ended(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::vector<std::string> messages_in(const std::string& outcome) {
  std::vector<std::string> messages;
  for (std::size_t at = 1; at < outcome.size(); at = outcome.find('\0', at) + 1)
    messages.emplace_back(outcome.c_str() + at);
  return messages;
}

/// Throws what `attempt` threw in the child. @param where for an error without a message
[[noreturn]] void rethrow(const std::string& outcome, const std::string& where) {
  const std::vector<std::string> messages = messages_in(outcome);
  if (messages.empty()) throw IoError(where, "cannot be read");
  if (outcome[0] == job_error) throw JobError(messages);
  // Their messages have this form: "where: what".
  const std::string& text = messages[0];
  const std::size_t colon = std::min(text.find(": "), text.size());
  const std::string place = text.substr(0, colon), what = text.substr(std::min(colon + 2, text.size()));
  if (outcome[0] == disk_error) throw DiskError(place, what);
  if (outcome[0] == io_error) throw IoError(place, what);
  throw Error(text);
}

}  // namespace

ChildLimits limits_for(const std::filesystem::path& file, std::size_t more) {
  constexpr std::size_t least = std::size_t{256} << 20, copies = 8;
  std::error_code ignored;
  const std::uintmax_t size = std::filesystem::file_size(file, ignored);
  const auto half =
      static_cast<std::uintmax_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uintmax_t>(sysconf(_SC_PAGE_SIZE)) / 2;
  ChildLimits limits;
  limits.memory = least + more + static_cast<std::size_t>(ignored ? 0 : std::min(size, half / copies) * copies);
  return limits;
}

std::string call_in_child(const std::string& where, const std::string& library, const ChildLimits& limits,
                          const std::function<std::string()>& attempt) {
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds));
  const auto refuse = [&](const char* step) {
    throw IoError(where, std::string(step) + " to check the file: " + strerror(errno));
  };
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) refuse("no pipe can be made");
  const Descriptor from_child(ends[0]);
  Descriptor to_parent(ends[1]);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) refuse("no process can be started");
  if (child == 0) {
    run_child(parent, to_parent.get(), limits.memory, [&] { return outcome_of(where, library, limits, attempt); });
  }
  to_parent = Descriptor();
  const std::optional<std::string> outcome = read_until(from_child.get(), end);
  if (!outcome) kill(child, SIGKILL);
  const int status = status_of_ended(child);
  if (!outcome) {
    throw IoError(where, library + " did not come back from this file within " + format_duration(limits.seconds) +
                             "; the file is damaged, or its disk does not answer");
  }
  if (WIFSIGNALED(status)) {
    throw IoError(where, library + " crashes on this file (" + strsignal(WTERMSIG(status)) + "); it is damaged");
  }
  if (WEXITSTATUS(status) != 0 || outcome->empty()) {
    throw IoError(where, library + " ends on this file without a word; it is damaged");
  }
  if (outcome->front() != returned) rethrow(*outcome, where);
  return outcome->substr(1);
}

void try_in_child(const std::string& where, const std::string& library, const ChildLimits& limits,
                  const std::function<void()>& attempt) {
  call_in_child(where, library, limits, [&] {
    attempt();
    return std::string();
  });
}

}  // namespace terrace::io
