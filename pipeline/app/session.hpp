// The session: streams, stages and log of every command.
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
#include "pipeline/base/json_library.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::app {

/// Exit codes of commands.
enum ExitCode : int { exit_done = 0, exit_failed = 1, exit_wrong = 2, exit_stopped = 75 };

/// JSON as commands print it: indented, in ASCII, with a line break at its end.
std::string text_of_json(const nlohmann::json& value);

/// One call of the program: its output streams, its stages and kinds of input, and its options. Answers of a command
/// go to `out`; everything else goes through the members below to `err`, and to the log file if there is one.
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

  /// From now on also writes with times to `path`, appending to an existing log; an empty path: no log.
  /// @throws JobError if it cannot be written, or is a file but no log
  void open_log(const std::string& path);
  /// To be called once the job is known. @throws JobError if the log is its file, its output or one of its inputs;
  /// then nothing was written to it, and nothing will be
  void keep_log_apart(const job::Job& job);

  // Texts that may hold pieces of files are made printable.

  /// A part of the command's answer, to `out`.
  void answer(const std::string& text);
  /// A path as a line of the answer: as it is where programs may read it, made printable on a terminal.
  void answer_path(const std::filesystem::path& path);
  /// The command's whole answer as JSON. @returns exit_done
  int answer_json(const nlohmann::json& value);
  /// News that --quiet silences.
  void note(const std::string& text);
  /// Something that is valid but probably not intended.
  void warn(const std::string& text);
  /// The reason why the command failed.
  void error(const std::string& text);
  /// To the log file alone.
  void record(const std::string& text);

 private:
  void write(const std::string& message, spdlog::level::level_enum level);

  std::shared_ptr<spdlog::logger> log_;
  std::filesystem::path log_path_;
  bool made_log_ = false;  // it was not there before
};

}  // namespace terrace::app
