// Completion in bash.
#include "pipeline/app/syntax/shells/shells.hpp"

namespace terrace::app {
namespace {

/// "--log | -o | --output"
std::string bash_pattern_of(const std::vector<OptionWords>& options) {
  std::string text;
  for (const std::string& spelling : spellings_of(options)) text += (text.empty() ? "" : " | ") + spelling;
  return text;
}

/// The case of one command: its options and the names that may follow it.
std::string bash_case_of(const std::string& name, const std::vector<std::string>& options, const std::string& names) {
  return "    " + name + ")\n      options='" + joined(options) + "'\n      names=" + names + " ;;\n";
}

std::string bash_case_of(const ProgramWords& program, const CommandWords& command) {
  std::vector<std::string> options = spellings_of(command.options);
  for (const std::string& option : spellings_of(program.options)) options.push_back(option);
  const std::string asked = "$([[ ${#words[@]} == 2 ]] && \"${COMP_WORDS[0]}\" complete " + command.name +
                            " \"$(_terrace_plain \"${words[1]}\")\" 2>/dev/null)";
  return bash_case_of(command.name, options, command.asks_result() ? asked : "'" + joined(command.names) + "'");
}

/// The cases of options whose values are known, and of those whose values are files or anything.
std::string bash_cases_of_values(const ProgramWords& program) {
  std::string cases;
  const auto chosen = options_where(program, [](const auto& option) { return !option.choices.empty(); });
  for (const OptionWords& option : chosen) {
    cases += "    " + bash_pattern_of({option}) + ") mapfile -t COMPREPLY < <(compgen -W '" + joined(option.choices) +
             "' -- \"$word\"); return ;;\n";
  }
  const auto files = options_where(program, [](const auto& option) { return option.takes_file(); });
  cases += "    " + bash_pattern_of(files) + ") _terrace_files; return ;;\n";
  const auto others = options_where(program, [](const auto& option) {
    return !option.value.empty() && option.choices.empty() && !option.takes_file();
  });
  return cases + "    " + bash_pattern_of(others) + ") return ;;\n";
}

constexpr const char* bash_first_part = R"(# Completion of terrace in bash.
_terrace_files() {
  compopt -o filenames
  mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
# A word of the command line without its quotes.
_terrace_plain() {
  local plain=${1//[\\\"\']/}
  printf '%s' "${plain/#\~\//$HOME/}"
}
_terrace() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options= names= i
  local -a words=()  # the command and its arguments before the cursor
  COMPREPLY=()
  case $before in
)";

constexpr const char* bash_words_part = R"(  esac
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${COMP_WORDS[i]} in
)";

constexpr const char* bash_commands_part = R"(      -*) ;;
      *) words+=("${COMP_WORDS[i]}") ;;
    esac
  done
  case ${words[0]-} in
)";

constexpr const char* bash_last_part = R"(  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  elif [[ $names ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$names" -- "$word")
  else
    _terrace_files
  fi
}
complete -F _terrace terrace
)";

}  // namespace

std::string bash_script(const ProgramWords& program) {
  std::vector<std::string> commands;
  std::string cases;
  for (const CommandWords& command : program.commands) {
    commands.push_back(command.name);
    cases += bash_case_of(program, command);
  }
  const auto valued = options_where(program, [](const auto& option) { return !option.value.empty(); });
  return bash_first_part + bash_cases_of_values(program) + bash_words_part + "      " + bash_pattern_of(valued) +
         ") ((++i)) ;;\n" + bash_commands_part +
         bash_case_of("''", spellings_of(program.options), "'" + joined(commands) + "'") + cases + bash_last_part;
}

}  // namespace terrace::app
