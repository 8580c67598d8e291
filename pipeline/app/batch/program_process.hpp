// The program in a process of its own, whose output this process reads.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "io/files/entry.hpp"

namespace terrace::app {

/// A started copy of this program. It is asked to stop if this process ends before it, for whatever reason.
class ProgramProcess {
 public:
  /// Starts the program in a process group of its own: signals of a terminal reach this process alone.
  /// @param arguments without the program's name
  /// @param hear called with each line that it writes to standard error
  /// @throws std::system_error
  ProgramProcess(const std::vector<std::string>& arguments, std::function<void(const std::string&)> hear);
  /// Kills a process that has not ended.
  ~ProgramProcess();
  ProgramProcess(const ProgramProcess&) = delete;
  ProgramProcess& operator=(const ProgramProcess&) = delete;

  /// Asks it to stop at a checkpoint. Only the first call does.
  void stop();
  /// Reads what it has written. @return false once it has ended
  bool poll();
  /// Its exit code; of a process that was killed by a signal, the negative number of that.
  int code() const { return code_; }
  /// Its standard output so far.
  const std::string& output() const { return output_; }

  /// Waits until one of the processes has written something or has ended, at most some milliseconds.
  static void wait(const std::vector<const ProgramProcess*>& processes);

 private:
  bool read(io::Descriptor& pipe, std::string& text);
  void tell_lines(bool rest);

  std::function<void(const std::string&)> hear_;
  pid_t process_ = -1;
  bool stopped_ = false;
  int code_ = 0;
  io::Descriptor out_, err_;
  std::string output_, said_;
};

}  // namespace terrace::app
