// Completion in fish.
#include "pipeline/app/syntax/shells/shells.hpp"

namespace terrace::app {
namespace {

/// A text in single quotes.
std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char letter : text) result += (letter == '\'' || letter == '\\' ? "\\" : "") + std::string(1, letter);
  return result + "'";
}

std::string fish_line_of(const std::string& condition, const std::string& rest) {
  return "complete -c terrace" + (condition.empty() ? "" : " -n " + fish_quoted(condition)) + rest + "\n";
}

std::string fish_help_of(const std::string& help) { return " -d " + fish_quoted(help); }

std::string fish_lines_of_options(const std::string& condition, const std::vector<OptionWords>& options) {
  std::string lines;
  for (const OptionWords& option : options) {
    std::string rest;
    for (const std::string& spelling : option.spellings) {
      rest += spelling.starts_with("--") ? " -l " + spelling.substr(2) : " -s " + spelling.substr(1);
    }
    if (option.takes_file()) rest += " -r -F";
    else if (!option.value.empty()) rest += " -x";
    if (!option.choices.empty()) rest += " -a " + fish_quoted(joined(option.choices));
    lines += fish_line_of(condition, rest + fish_help_of(option.help));
  }
  return lines;
}

std::string fish_lines_of(const CommandWords& command) {
  const std::string is_it = "test (__terrace_words)[1] = " + command.name;
  std::string lines =
      fish_line_of("test -z (__terrace_words)[1]", " -f -a " + command.name + fish_help_of(command.help)) +
      fish_lines_of_options(is_it, command.options);
  if (command.asks_result()) {
    lines += fish_line_of(is_it + "; and test (count (__terrace_words)) = 2",
                          " -f -a '(__terrace_asked " + command.name + ")'");
  }
  if (!command.names.empty()) lines += fish_line_of(is_it, " -f -a " + fish_quoted(joined(command.names)));
  return lines;
}

constexpr const char* fish_words_part = R"(      case '-*'
      case '*'
        set -a words $word
    end
  end
  # An empty one in place of a command: `test` then has something to compare.
  set -q words[1]; and printf '%s\n' $words; or echo
end
function __terrace_asked
  set -l words (__terrace_words)
  set -l program (commandline -opc)[1]
  eval $program complete $argv[1] (string escape -- $words[2]) 2>/dev/null
end
)";

}  // namespace

std::string fish_script(const ProgramWords& program) {
  const auto valued = options_where(program, [](const auto& option) { return !option.value.empty(); });
  std::string text =
      "# Completion of terrace in fish.\n"
      "# Prints the command and its arguments before the cursor, a line each.\n"
      "function __terrace_words\n  set -l words\n  set -l skip 0\n  for word in (commandline -opc)[2..-1]\n"
      "    if test $skip = 1\n      set skip 0\n      continue\n    end\n    switch $word\n      case " +
      joined(spellings_of(valued)) + "\n        set skip 1\n" + fish_words_part +
      fish_lines_of_options("", program.options);
  for (const CommandWords& command : program.commands) text += fish_lines_of(command);
  return text;
}

}  // namespace terrace::app
