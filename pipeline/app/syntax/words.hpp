// The words of command lines: commands, options and names, as shells complete them.
#pragma once

#include <CLI/App.hpp>
#include <map>
#include <string>
#include <vector>

namespace terrace::app {

/// The names that may follow a word, by the word: those of problems after `problems`, of back ends after `--backend`.
using Names = std::map<std::string, std::vector<std::string>>;

struct OptionWords {
  std::vector<std::string> spellings;  // "-o", "--output"
  std::string help;                    // the begin of its description
  std::string value;                   // the name of its value, "FILE"; empty: it has none
  std::vector<std::string> choices;    // the values, if they are known
  bool repeats = false;                // true if it may be given again

  bool takes_file() const { return value == "FILE"; }
};

struct CommandWords {
  std::string name, help;
  std::vector<OptionWords> options;  // without those of the program
  std::vector<std::string> names;    // that may be its first argument; empty: a file, if `arguments` is not
  std::vector<std::string> arguments;

  /// True if its second argument is in a result that the first names: `terrace complete COMMAND RESULT` prints which.
  bool asks_result() const { return arguments.size() > 1 && arguments[0] == "RESULT"; }
};

struct ProgramWords {
  std::vector<OptionWords> options;  // of all commands
  std::vector<CommandWords> commands;
};

ProgramWords words_of(const CLI::App& program, const Names& names);

/// The words with blanks in between.
std::string joined(const std::vector<std::string>& words);

/// Every spelling of the options.
std::vector<std::string> spellings_of(const std::vector<OptionWords>& options);

/// Those of the options of all commands and of the program for which `wanted` is true, each once.
template <class Wanted>
std::vector<OptionWords> options_where(const ProgramWords& program, const Wanted& wanted) {
  std::map<std::string, OptionWords> found;
  const auto add = [&](const std::vector<OptionWords>& options) {
    for (const OptionWords& option : options) {
      if (wanted(option)) found.emplace(option.spellings.back(), option);
    }
  };
  add(program.options);
  for (const CommandWords& command : program.commands) add(command.options);
  std::vector<OptionWords> options;
  options.reserve(found.size());
  for (const auto& [spelling, option] : found) options.push_back(option);
  return options;
}

}  // namespace terrace::app
