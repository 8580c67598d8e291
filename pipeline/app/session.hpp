// What every command is given.
#pragma once

#include <spdlog/logger.h>

#include <filesystem>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>

#include "io/source.hpp"
#include "pipeline/app/stage_table.hpp"
#include "pipeline/app/text_table.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::app {

/// How a command ended.
enum ExitCode : int { exit_done = 0, exit_failed = 1, exit_wrong = 2, exit_stopped = 75 };

/// One call of the program: where it writes to, what it knows of, and what was asked for. What a command was asked
/// for goes to `out`; everything else through the members below to `err`, and to the log file where there is one.
class Session {
 public:
  Session(std::ostream& out_stream, std::ostream& err_stream, const Stages& stage_table,
          std::span<const io::InputKind> input_kinds);

  std::ostream& out;
  std::ostream& err;
  const Stages& stages;
  std::span<const io::InputKind> kinds;
  bool quiet = false;
  std::size_t columns = no_terminal;  // of the terminal that `out` is

  /// From now on writes with times to `path`, too, after what a log that is there holds; an empty path: nowhere.
  /// @throws JobError when it cannot be written, or is there and is no log
  void open_log(const std::string& path);
  /// To be called once the job is known. @throws JobError where the log is its file, its output or one of its
  /// inputs; nothing was written then, and nothing more will be
  void keep_log_apart(const job::Job& job);

  // Texts that may hold pieces of files are made printable.

  /// A part of what the command was asked for, to `out`.
  void answer(const std::string& text);
  /// News that --quiet silences.
  void note(const std::string& text);
  /// What was hardly meant.
  void warn(const std::string& text);
  /// Why the command failed.
  void error(const std::string& text);
  /// Into the log file alone.
  void record(const std::string& text);

 private:
  void write(const std::string& message, spdlog::level::level_enum level);

  std::shared_ptr<spdlog::logger> log_;
  std::filesystem::path log_path_;
  bool made_log_ = false;  // it was not there before
};

}  // namespace terrace::app
