// Completion in zsh.
#include "pipeline/app/syntax/shells/shells.hpp"

namespace terrace::app {
namespace {

/// A text within a specification of _arguments, in single quotes.
std::string zsh_specified(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') result += "\\";
    result += letter == '\'' ? "'\\''" : std::string(1, letter);
  }
  return result;
}

/// ":FILE:_files", or ":HOW:(mean min)".
std::string zsh_value_of(const OptionWords& option) {
  if (option.value.empty()) return "";
  const std::string action = option.takes_file()       ? "_files"
                             : !option.choices.empty() ? "(" + joined(option.choices) + ")"
                                                       : " ";
  return ":" + zsh_specified(option.value) + ":" + action;
}

/// "'(-o --output)-o[The page]:FILE:_files'", a line each spelling.
std::string zsh_lines_of(const std::vector<OptionWords>& options) {
  std::string lines;
  for (const OptionWords& option : options) {
    const std::string before = option.repeats ? "*" : "(" + joined(option.spellings) + ")";
    for (const std::string& spelling : option.spellings) {
      const bool is_long = spelling.starts_with("--");
      const std::string ending = option.value.empty() ? "" : is_long ? "=" : "+";
      lines += " \\\n        '" + before + spelling + ending + "[" + zsh_specified(option.help) + "]" +
               zsh_value_of(option) + "'";
    }
  }
  return lines;
}

/// The specifications of the arguments of a command.
std::string zsh_arguments_of(const CommandWords& command) {
  std::string lines;
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    const std::string action = i == 1 && command.asks_result() ? " _terrace_asked " + command.name
                               : !command.names.empty()        ? "(" + joined(command.names) + ")"
                                                               : "_files";
    lines +=
        " \\\n        '" + std::to_string(i + 1) + ":" + zsh_specified(command.arguments[i]) + ":" + action + "'";
  }
  return lines;
}

constexpr const char* zsh_first_part = R"script(#compdef terrace
# Completion of terrace in zsh.
_terrace_asked() {
  local -a asked
  asked=(${(f)"$($program complete $1 ${(Q)~line[1]} 2>/dev/null)"})
  compadd -- $asked
}
_terrace() {
  local curcontext=$curcontext state program=${(Q)~words[1]}
  local -a line commands
  typeset -A opt_args
  commands=(
)script";

}  // namespace

std::string zsh_script(const ProgramWords& program) {
  std::string commands, cases;
  for (const CommandWords& command : program.commands) {
    commands += "    '" + command.name + ":" + zsh_specified(command.help) + "'\n";
    cases += "    " + command.name + ")\n      _arguments" + zsh_lines_of(program.options) +
             zsh_lines_of(command.options) + zsh_arguments_of(command) + " ;;\n";
  }
  return zsh_first_part + commands + "  )\n  _arguments -C" + zsh_lines_of(program.options) +
         " \\\n        '1:command:->command' '*::argument:->argument'\n  case $state in\n    command)\n"
         "      _describe command commands\n      return ;;\n    argument) ;;\n    *) return ;;\n  esac\n"
         "  curcontext=${curcontext%:*:*}:terrace-$line[1]:\n  case $line[1] in\n" +
         cases + "  esac\n}\n_terrace \"$@\"\n";
}

}  // namespace terrace::app
