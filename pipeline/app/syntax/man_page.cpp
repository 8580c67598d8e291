#include "pipeline/app/syntax/man_page.hpp"

#include <sstream>

#include "pipeline/app/syntax/commands_of.hpp"

namespace terrace::app {
namespace {

/// Text as roff prints it: backslashes and hyphens are letters, and a line begins no request.
std::string roff(const std::string& text) {
  std::string result;
  bool first = true;
  for (const char letter : text) {
    if (first && (letter == '.' || letter == '\'')) result += "\\&";
    if (letter == '\\') result += "\\e";
    else if (letter == '-') result += "\\-";
    else result += letter;
    first = letter == '\n';
  }
  return result;
}

/// "--set KEY=VALUE" or "--quiet".
std::string head_of(const CLI::Option& option) {
  std::string text = "\\fB" + roff(option.get_name()) + "\\fR";
  if (option.get_items_expected_max() > 0) text += " \\fI" + roff(option.get_type_name()) + "\\fR";
  return text;
}

/// " [OPTION]... JOB [STAGE]".
std::string usage_of(const CLI::App& command) {
  std::string text = "\\fBterrace " + roff(command.get_name()) + "\\fR [\\fIOPTION\\fR]...";
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = "\\fI" + roff(option->get_name(true)) + "\\fR";
    text += option->get_required() ? " " + name : " [" + name + "]";
  }
  return text;
}

/// Paragraphs of options and arguments; --help, which all commands have, only of the program.
std::string described_options(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    if (option == command.get_help_ptr() && command.get_parent() != nullptr) continue;
    const bool positional = option->get_positional();
    const std::string head = positional ? "\\fI" + roff(option->get_name(true)) + "\\fR" : head_of(*option);
    text += ".TP\n" + head + "\n" + roff(option->get_description()) + "\n";
  }
  return text;
}

constexpr const char* files_and_more = R"(.SH ENVIRONMENT
.TP
TERRACE_CPU_RATES
Rates of the CPU that plans and profiles take for its limits, in place of measuring them once, for some 20 ms, and keeping them in $XDG_CACHE_HOME/terrace/cpu or ~/.cache/terrace/cpu; \fBterrace measure\fR measures them anew: operations on 32\-bit integers, multiply\-adds of f32 and copied bytes a second, with commas between (1e11,8e10,2e10). Predicted times are then the same at each start.
.TP
TERRACE_COMPILED_CACHE
off: kernels that are compiled when a run begins are neither taken from $XDG_CACHE_HOME/terrace/compiled or ~/.cache/terrace/compiled, where earlier runs of the user have kept theirs, nor kept there. on, and nothing, are the same as without the variable; anything else is an error of a job whose cells are compiled. The folder takes at most 256 MiB and may be removed at any time; files of others in it are not counted, and stay.
.TP
SLURM_JOB_END_TIME
The time, in seconds since 1970, before which a run without \-\-time\-limit stops at a checkpoint.
.SH FILES
.TP
\fIOUTPUT\fR.run/
The folder of a run until its result is complete: checkpoints, scratch files and the partial result.
.TP
\fIBATCH\fR.tasks
The tasks of a batch, as they were listed by its first run.
.TP
\fIOUTPUT\fR.failed
The error with which a task of a batch has failed, until it is run again.
.SH EXAMPLES
.TP
terrace run job.yaml
Run a job, or resume it where it was stopped.
.TP
terrace run job.yaml \-\-set memory.device=1GiB
The same with another budget; the result is the same.
.TP
terrace run batch.yaml \-\-task 10\-19
Run ten tasks of a batch, a job with sweep.
.TP
terrace submit batch.yaml
Hand the tasks of a batch that are not finished to Slurm.
.TP
terrace problems smith_waterman
Show the keys, datasets and an example of a problem.
.TP
terrace schema > terrace.schema.json
Write a schema with which editors complete and check jobs.
)";

}  // namespace

std::string man_page(const CLI::App& program, const std::string& version) {
  std::string text =
      ".TH TERRACE 1 \"\" \"Terrace " + version + "\" \"User Commands\"\n.SH NAME\nterrace \\- run " +
      "dynamic programs and stencils larger than memory\n.SH SYNOPSIS\n.B terrace\n\\fICOMMAND\\fR " +
      "[\\fIARGUMENT\\fR]...\n.SH DESCRIPTION\n" +
      "A job, a file in YAML, names arrays and stages. Terrace cuts every array into blocks that fit a "
      "budget of memory, streams them from disk through RAM and GPU memory, and writes results and a "
      "profile to one HDF5 file. With no GPU the same jobs run on the CPU.\n" +
      "\\fBterrace job\\fR, \\fBterrace inputs\\fR, \\fBterrace problems\\fR and \\fBterrace "
      "operators\\fR list every key that a job may hold.\n.SH COMMANDS\n";
  for (const CLI::App* command : commands_of(program)) {
    text +=
        ".SS " + usage_of(*command) + "\n" + roff(command->get_description()) + "\n" + described_options(*command);
  }
  std::istringstream footer(program.get_footer());
  std::string codes;
  for (std::string line; std::getline(footer, line);) codes += roff(line) + "\n";
  return text + ".SH OPTIONS\n" + described_options(program) + ".SH EXIT STATUS\n" + codes + files_and_more;
}

}  // namespace terrace::app
