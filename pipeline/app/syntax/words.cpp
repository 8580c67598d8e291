#include "pipeline/app/syntax/words.hpp"

#include "pipeline/app/syntax/commands_of.hpp"

namespace terrace::app {
namespace {

/// "Set a key of the job" of "Set a key of the job, as in memory.device=1GiB; may be given again".
std::string begin_of(const std::string& description) {
  return description.substr(0, description.find_first_of(",;:.("));
}

OptionWords words_of_option(const CLI::Option& option, const Names& names) {
  OptionWords words;
  for (const std::string& name : option.get_snames()) words.spellings.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.spellings.push_back("--" + name);
  words.help = begin_of(option.get_description());
  if (option.get_items_expected_max() == 0) return words;
  const std::string type = option.get_type_name();
  words.value = type.substr(0, type.find(':'));
  words.repeats = option.get_items_expected_max() > 1;
  const auto found = names.find(words.spellings.back());
  if (found != names.end()) words.choices = found->second;
  return words;
}

/// The options of a command or of the program; --help only of the program.
std::vector<OptionWords> words_of_options(const CLI::App& command, const Names& names) {
  std::vector<OptionWords> options;
  for (const CLI::Option* option : command.get_options()) {
    const bool is_others = option == command.get_help_ptr() && command.get_parent() != nullptr;
    if (!option->get_positional() && !is_others) options.push_back(words_of_option(*option, names));
  }
  return options;
}

CommandWords words_of_command(const CLI::App& command, const Names& names) {
  CommandWords words{
      command.get_name(), begin_of(command.get_description()), words_of_options(command, names), {}, {}};
  const auto found = names.find(command.get_name());
  if (found != names.end()) words.names = found->second;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) words.arguments.push_back(option->get_name(true));
  }
  return words;
}

}  // namespace

ProgramWords words_of(const CLI::App& program, const Names& names) {
  ProgramWords words{words_of_options(program, names), {}};
  for (const CLI::App* command : commands_of(program)) words.commands.push_back(words_of_command(*command, names));
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> spellings_of(const std::vector<OptionWords>& options) {
  std::vector<std::string> spellings;
  for (const OptionWords& option : options) {
    spellings.insert(spellings.end(), option.spellings.begin(), option.spellings.end());
  }
  return spellings;
}

}  // namespace terrace::app
