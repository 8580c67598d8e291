#include "pipeline/app/batch/program_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include "pipeline/app/own_program.hpp"

namespace terrace::app {
namespace {

constexpr int wait_milliseconds = 50;
constexpr std::array<int, 4> stop_signals{SIGINT, SIGTERM, SIGHUP, SIGUSR1};

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

struct Pipe {
  io::Descriptor reader, writer;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe");
  Pipe pipe{io::Descriptor(ends[0]), io::Descriptor(ends[1])};
  if (::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) fail("fcntl");
  return pipe;
}

/// Holds the stop signals back while it lives: one that came to a child before it executes the program would be lost.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t held;
    ::sigemptyset(&held);
    for (const int number : stop_signals) ::sigaddset(&held, number);
    ::pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

/// Becomes the program in this file. Called in the child, where only functions are safe that are so in signal
/// handlers.
[[noreturn]] void execute(const char* program, char** arguments, pid_t parent, int out, int err,
                          const sigset_t& mask) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(127);
  for (const int number : stop_signals) {
    struct sigaction action {};
    ::sigaction(number, nullptr, &action);
    if (action.sa_handler != SIG_IGN) ::signal(number, SIG_DFL);
  }
  const int in = ::open("/dev/null", O_RDONLY);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::execv(program, arguments);
  ::_exit(127);
}

}  // namespace

ProgramProcess::ProgramProcess(const std::vector<std::string>& arguments,
                               std::function<void(const std::string&)> hear)
    : hear_(std::move(hear)) {
  Pipe out = make_pipe(), err = make_pipe();
  std::vector<std::string> words{"terrace"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const std::string program = own_program().string();
  const pid_t parent = ::getpid();
  const HeldSignals held;
  process_ = ::fork();
  if (process_ < 0) fail("fork");
  if (process_ == 0)
    execute(program.c_str(), pointers.data(), parent, out.writer.get(), err.writer.get(), held.before());
  out_ = std::move(out.reader);
  err_ = std::move(err.reader);
}

ProgramProcess::~ProgramProcess() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

void ProgramProcess::stop() {
  if (process_ < 0 || stopped_) return;
  stopped_ = true;
  ::kill(process_, SIGTERM);
}

/// Reads what is there. @return false at the end
bool ProgramProcess::read(io::Descriptor& pipe, std::string& text) {
  std::array<char, 1 << 16> bytes{};
  while (pipe) {
    const ssize_t count = ::read(pipe.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    if (count == 0) pipe = {};
    text.append(bytes.data(), static_cast<std::size_t>(count));
  }
  return false;
}

void ProgramProcess::tell_lines(bool rest) {
  for (std::size_t end = said_.find('\n'); end != std::string::npos; end = said_.find('\n')) {
    hear_(said_.substr(0, end));
    said_.erase(0, end + 1);
  }
  if (rest && !said_.empty()) hear_(std::exchange(said_, {}));
}

bool ProgramProcess::poll() {
  int status = 0;
  // Before reading: what it wrote before its end is then in the pipes.
  const bool ended = process_ < 0 || ::waitpid(process_, &status, WNOHANG) == process_;
  read(out_, output_);
  read(err_, said_);
  tell_lines(ended);
  if (!ended) return true;
  if (process_ >= 0) code_ = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  process_ = -1;
  return false;
}

void ProgramProcess::wait(const std::vector<const ProgramProcess*>& processes) {
  std::vector<pollfd> pipes;
  for (const ProgramProcess* process : processes) {
    for (const io::Descriptor* pipe : {&process->out_, &process->err_}) {
      if (*pipe) pipes.push_back({pipe->get(), POLLIN, 0});
    }
  }
  ::poll(pipes.data(), pipes.size(), wait_milliseconds);
}

}  // namespace terrace::app
