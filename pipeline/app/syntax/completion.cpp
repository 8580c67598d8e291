#include "pipeline/app/syntax/completion.hpp"

#include "pipeline/app/syntax/commands_of.hpp"

namespace terrace::app {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// The case of one command in the script: its options and names.
std::string case_of(const CLI::App& program, const CLI::App& command, const Names& names) {
  std::vector<std::string> options = options_of(command);
  for (const std::string& option : options_of(program)) {
    if (std::find(options.begin(), options.end(), option) == options.end()) options.push_back(option);
  }
  const auto found = names.find(command.get_name());
  return "    " + command.get_name() + ")\n      options='" + joined(options) + "'\n      names='" +
         (found == names.end() ? "" : joined(found->second)) + "' ;;\n";
}

constexpr const char* first_part = R"(# Completion of terrace in bash.
_terrace() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= options= names= i
  COMPREPLY=()
  case $before in
    --backend) mapfile -t COMPREPLY < <(compgen -W 'auto cuda cpu' -- "$word"); return ;;
    --set | --threads | --sample | --seed | --task | --time-limit) return ;;
  esac
  for ((i = 1; i < COMP_CWORD; ++i)); do
    [[ ${COMP_WORDS[i]} == -* || ${COMP_WORDS[i-1]} == --log ]] || { command=${COMP_WORDS[i]}; break; }
  done
  case $command in
)";

constexpr const char* last_part = R"(  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  elif [[ $names && $before != --log ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$names" -- "$word")
  else
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -F _terrace terrace
)";

}  // namespace

std::string bash_completion(const CLI::App& program, const Names& names) {
  std::vector<std::string> commands;
  std::string cases;
  for (const CLI::App* command : commands_of(program)) {
    commands.push_back(command->get_name());
    cases += case_of(program, *command, names);
  }
  const std::string none =
      "    '')\n      options='" + joined(options_of(program)) + "'\n      names='" + joined(commands) + "' ;;\n";
  return first_part + none + cases + last_part;
}

}  // namespace terrace::app
