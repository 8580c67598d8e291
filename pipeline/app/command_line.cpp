#include "pipeline/app/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "pipeline/app/commands.hpp"
#include "pipeline/app/syntax/command.hpp"
#include "pipeline/app/syntax/commands_of.hpp"
#include "pipeline/app/syntax/completion.hpp"
#include "pipeline/app/syntax/job_commands.hpp"
#include "pipeline/app/syntax/man_page.hpp"
#include "pipeline/app/version.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/run/build_id.hpp"

namespace terrace::app {
namespace {

/// Adds the forms that an answer can have.
void add_form(CLI::App& command, Form& form) {
  CLI::Option* markdown = command.add_flag("--markdown", form.markdown, "As tables of Markdown");
  add_json(command, form.json)->excludes(markdown);
}

void add_verify(CLI::App& program, CommandLine& line, Session& session) {
  auto asked = std::make_shared<VerifyArguments>();
  CLI::App& command = add_command(
      program, line, session, "verify",
      "Compare a result with its checksums, and parts of it with what plain programs compute", verify, asked);
  command.preparse_callback([&line](std::size_t) { line.stops = true; });
  command.add_option("RESULT", asked->path, "The result")->required()->check(not_empty);
  CLI::Option* sample =
      command
          .add_option(
              "--sample", asked->sample,
              "Compute this fraction again by plain programs, from the job and the inputs: 0.01, or 1 for all "
              "that can be sampled")
          ->type_name("FRACTION")
          ->check([](const std::string& text) {
            char* end = nullptr;
            const double fraction = std::strtod(text.c_str(), &end);
            const bool right = !text.empty() && *end == '\0' && fraction > 0 && fraction <= 1;
            return right ? std::string() : "a fraction is above 0 and at most 1, as 0.01; not '" + text + "'";
          });
  command.add_option("--seed", asked->seed, "Seed of the sample, by default 1")
      ->type_name("NUMBER")
      ->needs(sample)
      ->check([](const std::string& text) {
        std::int64_t seed = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
        const bool right = error == std::errc() && end == text.data() + text.size();
        return right ? std::string() : "a seed is a whole number of 64 bits; not '" + text + "'";
      });
  command.add_flag(
      "--all", asked->all,
      "Run the job again in a folder next to the result, also for datasets that no sample covers, and compare all "
      "datasets; after a stop the same command resumes");
  add_json(command, asked->json);
}

/// Adds the arguments of commands that make a file of a result.
void add_picture(CLI::App& command, PictureArguments& picture, const char* kind) {
  command.add_option("RESULT", picture.path, "The result")->required()->check(not_empty);
  command.add_option("-o,--output", picture.output, kind)->required()->type_name("FILE");
}

void add_plot(CLI::App& program, CommandLine& line, Session& session) {
  auto asked = std::make_shared<PlotArguments>();
  CLI::App& command = add_command(
      program, line, session, "plot",
      "Draw a dataset: a table as a heat map, an alignment, a list, or a schedule; gnuplot draws", plot, asked);
  command.add_option("RESULT", asked->picture.path, "The result")->required()->check(not_empty);
  command.add_option(
      "DATASET", asked->dataset,
      "STAGE/DATASET, or STAGE for its most telling one; by default the most telling one of the result");
  command
      .add_option("-o,--output", asked->picture.output,
                  "The picture: .png, .svg or .pdf; u_%04d.png makes one of each snapshot")
      ->required()
      ->type_name("FILE");
  command
      .add_option(
          "--reduce", asked->reduce,
          "What a cell of the picture shows of many values: mean, min, max, or nearest, the one in their middle; "
          "by default the mean, of indices nearest")
      ->type_name("HOW")
      ->check(CLI::IsMember({"mean", "min", "max", "nearest"}));
  command
      .add_option(
          "--at", asked->at,
          "Indices in the dimensions before the last two, as 3 or 3,5; by default the last state of snapshots and "
          "tables, else the middle")
      ->type_name("INDEX,...");
  command
      .add_option(
          "--range", asked->range,
          "The values at the ends of the colours, as -5,5; by default the least and the largest that are drawn, of "
          "snapshots those of all together")
      ->type_name("LOW,HIGH");
  command
      .add_option("--path", asked->path_of,
                  "Draw the alignment of this stage over the table; by default that of the same sequences")
      ->type_name("STAGE");
}

void add_pictures(CLI::App& program, CommandLine& line, Session& session) {
  auto reported = std::make_shared<PictureArguments>();
  add_picture(add_command(program, line, session, "report",
                          "Write a page about a result: rates, limits, a timeline, bytes moved", report, reported),
              *reported, "The page: HTML that needs no other file");
  add_plot(program, line, session);
  auto traced = std::make_shared<PictureArguments>();
  add_picture(add_command(program, line, session, "trace",
                          "Write when each block was computed and each tile moved, for trace viewers", trace, traced),
              *traced, "The trace: JSON that ui.perfetto.dev and chrome://tracing open");
}

/// True if the program has a stage with this word for its problems.
bool has_selector(const Session& session, const std::string& selector) {
  const auto& stages = session.stages.declarations().all();
  return std::any_of(stages.begin(), stages.end(), [&](const auto& stage) { return stage.selector == selector; });
}

void add_other_commands(CLI::App& program, CommandLine& line, Session& session) {
  auto result = std::make_shared<ShowArguments>();
  CLI::App& shown = add_command(program, line, session, "show",
                                "Describe a result, or the state of a stopped run or of a batch", show, result);
  shown.add_option("RESULT", result->path, "The result, the folder of its run, or a batch")
      ->required()
      ->check(not_empty);
  CLI::Option* stage = shown.add_option("STAGE", result->stage, "Show only this stage of a result");
  shown.add_flag("--paf", result->paf, "The alignment of that stage as a line of PAF; of sets a line each")
      ->needs(stage);
  shown.add_flag("--tsv", result->tsv, "Its pairs of sets, by name, with fields between tabs")
      ->needs(stage)
      ->excludes("--paf");
  shown.add_flag("--xdmf", result->xdmf, "Its grids as XDMF, which ParaView opens: write it beside the result")
      ->excludes("--paf")
      ->excludes("--tsv");
  shown
      .add_flag("--kerchunk", result->kerchunk,
                "Places of its datasets in the file, as a reference with which Zarr's readers open them in parallel")
      ->excludes("--paf")
      ->excludes("--tsv")
      ->excludes("--xdmf");
  add_json(shown, result->json)->excludes("--paf")->excludes("--tsv")->excludes("--xdmf")->excludes("--kerchunk");
  add_verify(program, line, session);
  add_pictures(program, line, session);
  for (const auto& [selector, help] : {std::pair("problem", "List the problems that stages solve, or show one"),
                                       std::pair("operator", "List the operators of stencils, or show one")}) {
    if (!has_selector(session, selector)) continue;
    auto asked = std::make_shared<ProblemsArguments>();
    asked->selector = selector;
    CLI::App& command = add_command(program, line, session, selector + std::string("s"), help, problems, asked);
    command.add_option("NAME", asked->name, std::string("Show the keys and outputs of this ") + selector);
    add_form(command, asked->form);
  }
  auto kind = std::make_shared<InputsArguments>();
  CLI::App& kinds =
      add_command(program, line, session, "inputs", "List the kinds of input of jobs, or show one", inputs, kind);
  kinds.add_option("KIND", kind->kind, "Show the keys of this kind of input");
  add_form(kinds, kind->form);
  auto listed = std::make_shared<MethodsArguments>();
  CLI::App& listing =
      add_command(program, line, session, "methods", "List the kernels that compute stages", methods, listed);
  listing.add_option("STAGE", listed->stage, "Those of this kind of stage alone");
  add_form(listing, listed->form);
  auto form = std::make_shared<Form>();
  add_form(add_command(program, line, session, "job", "List the keys of a job", job_keys, form), *form);
  const auto add_plain = [&](const std::string& name, const std::string& help, int (*run)(Session&)) {
    program.add_subcommand(name, help)->callback([&, run] {
      line.command = [&session, run] { return run(session); };
    });
  };
  add_plain("reference", "Print all keys of jobs, inputs and stages as one page of Markdown", reference);
  add_plain("schema", "Print the JSON Schema of jobs, with which editors complete and check them", schema);
  add_plain("measure", "Measure this machine's CPU and GPUs, for plans and their limits", measure);
  auto list = std::make_shared<DevicesArguments>();
  add_json(add_command(program, line, session, "devices", "List the devices of this machine", devices, list),
           list->json);
}

/// The names that may follow a command or an option.
Names known_names(const Session& session) {
  Names names;
  for (const io::InputKind& kind : session.kinds) names["inputs"].emplace_back(kind.name);
  for (const job::StageDeclaration& stage : session.stages.declarations().all()) {
    std::vector<std::string>& known = names[stage.selector + "s"];
    known.push_back(stage.name);
    for (const job::ProblemDeclaration& problem : stage.problems) known.push_back(problem.name);
  }
  for (const job::StageDeclaration& stage : session.stages.declarations().all()) {
    names["methods"].push_back(stage.name);
  }
  names["completion"] = completed_shells();
  names["--backend"] = {"auto", "cuda", "cpu"};
  names["--reduce"] = {"mean", "min", "max", "nearest"};
  return names;
}

/// Commands that print what belongs to the program when it is installed.
void add_documents(CLI::App& program, CommandLine& line, Session& session) {
  CLI::App* completion = program.add_subcommand("completion", "Print a script that completes command lines");
  auto shell = std::make_shared<std::string>();
  completion->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember(completed_shells()));
  completion->callback([&, shell] {
    line.command = [&session, text = completion_for(*shell, words_of(program, known_names(session)))] {
      session.out << text;
      return exit_done;
    };
  });
  auto asked = std::make_shared<CompleteArguments>();
  CLI::App& words =
      add_command(program, line, session, "complete", "Print what may follow the name of a result", complete, asked);
  words.group("")->add_option("COMMAND", asked->command)->required()->check(CLI::IsMember({"plot", "show"}));
  words.add_option("RESULT", asked->result)->required()->check(not_empty);
  CLI::App* man = program.add_subcommand("man", "Print the man page")->group("");
  man->callback([&] {
    line.command = [&session, text = man_page(program, run::version_text())] {
      session.out << text;
      return exit_done;
    };
  });
}

void add_options(CLI::App& program, Session& session, CommandLine& line) {
  program.description("Terrace: dynamic programs and stencils larger than memory");
  program.require_subcommand(1);
  program.fallthrough();
  program.set_version_flag("--version", version_text(), "Print version, build and back ends, and end");
  program.add_flag("--quiet", session.quiet, "Print only the answer, errors and warnings");
  program.add_option("--log", line.log, "Also write a log to this file")->type_name("FILE")->check(not_empty);
  program.footer(
      "Exit codes: 0 done, 1 failed, 2 the job or the command is wrong,\n"
      "75 stopped at a checkpoint, run it again.");
}

/// The long options of a command, as they are written.
std::vector<std::string> long_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// The message if no known command was named.
std::string no_command(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(program)) names.push_back(command->get_name());
  const auto rest = program.remaining();
  if (rest.empty()) return "name a command: " + list_names(names);
  const std::vector<std::string> options = long_options(program);
  if (rest.front().starts_with("-")) {
    return "there is no option '" + rest.front() + "' before a command" + did_you_mean(rest.front(), options) +
           "; options of a command stand behind it, and `terrace --help` lists all others";
  }
  std::string near = did_you_mean(rest.front(), names);
  if (near.empty()) near = did_you_mean(rest.front(), options);
  return "there is no command '" + rest.front() + "'" + (near.empty() ? "; there are " + list_names(names) : near);
}

bool is_a(const CLI::ParseError& error, CLI::ExitCodes code) {
  return error.get_exit_code() == static_cast<int>(code);
}

/// "; write --fresh=all" if a word that is no file stands behind `--fresh`, which takes its value with '='; else
/// empty.
std::string hint_at_equals(const std::vector<std::string>& arguments) {
  const auto option = std::find(arguments.begin(), arguments.end(), "--fresh");
  if (option == arguments.end() || option + 1 == arguments.end()) return "";
  const std::string& word = *(option + 1);
  std::error_code ignored;
  if (word.starts_with("-") || std::filesystem::exists(word, ignored)) return "";
  return "; write --fresh=" + word;
}

/// The message about a known command that lacks an argument, or has one too many. @param arguments in their order
std::string wrong_arguments(const CLI::App& program, const CLI::ParseError& error,
                            const std::vector<std::string>& arguments) {
  const CLI::App& command = *program.get_subcommands().back();
  const std::string see = "; see `terrace " + command.get_name() + " --help`";
  if (is_a(error, CLI::ExitCodes::RequiredError)) return command.get_name() + ": " + error.what() + see;
  std::vector<std::string> options = long_options(command);
  for (const std::string& option : long_options(program)) options.push_back(option);
  for (const std::string& word : program.remaining(true)) {
    const std::string near = did_you_mean(word.substr(0, word.find('=')), options);
    if (word.starts_with("-") && !near.empty()) return error.what() + near;
  }
  if (const std::string hint = hint_at_equals(arguments); !hint.empty()) return error.what() + hint;
  return error.what() + see;
}

/// The first argument that is an option with '=' and nothing behind it: the parser would take `--fresh=` for
/// `--fresh`. Empty if there is none.
std::string option_without_value(const std::vector<std::string>& arguments) {
  const auto at = std::find_if(arguments.begin(), arguments.end(), [](const std::string& argument) {
    return argument.starts_with("--") && argument.find('=') + 1 == argument.size();
  });
  return at == arguments.end() ? "" : *at;
}

}  // namespace

CommandLine parse_command_line(std::vector<std::string> arguments, Session& session) {
  if (const std::string option = option_without_value(arguments); !option.empty()) {
    session.error(option + ": the value behind '=' is missing");
    return {nullptr, exit_wrong, ""};
  }
  CLI::App program("", "terrace");
  CommandLine line;
  add_options(program, session, line);
  add_job_commands(program, line, session);
  add_other_commands(program, line, session);
  add_documents(program, line, session);
  const std::string first = arguments.empty() ? "" : arguments.front();
  try {
    program.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes them last first
  } catch (const CLI::ParseError& error) {
    // --help and --version end the parse before it looks for a command.
    const bool named = !program.get_subcommands().empty();
    const auto rest = program.remaining();
    const bool required = is_a(error, CLI::ExitCodes::RequiredError),
               extra = is_a(error, CLI::ExitCodes::ExtrasError);
    if (rest.empty() ? !named && required : !named || rest.front() == first) session.error(no_command(program));
    else if (required || extra) session.error(wrong_arguments(program, error, arguments));
    else return {nullptr, program.exit(error, session.out, session.err) == 0 ? exit_done : exit_wrong, ""};
    return {nullptr, exit_wrong, ""};
  }
  return line;
}

}  // namespace terrace::app
