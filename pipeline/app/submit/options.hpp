// Options of sbatch, those of the user before those that a plan suggests.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace terrace::app {

/// The options of a script for Slurm, one a line.
class SbatchOptions {
 public:
  /// @param words of the user, as sbatch takes them: "--time=1:00:00", "-p", "main"
  /// @throws JobError if the first one is no option
  explicit SbatchOptions(const std::vector<std::string>& words);

  /// Adds "--name=value", or "--name" if the value is empty, unless the user gives that option, or one of `others`.
  /// @return true if it was added
  bool suggest(const std::string& name, const std::string& value = "", const std::vector<std::string>& others = {});
  /// True if the user gives the option, by its long name or, with one letter, by its short one.
  bool has(const std::string& name) const;
  /// The value that the user gives to the option; nullopt if it is not given.
  std::optional<std::string> value_of(const std::string& name) const;
  /// Lines "#SBATCH ...".
  std::string lines() const;

 private:
  struct Option {
    std::string name;                // without dashes
    std::vector<std::string> words;  // as they were given
  };
  std::vector<Option> given_;
  std::vector<std::string> suggested_;
};

/// Seconds of a time limit as Slurm writes it: "30", "30:00", "2:00:00", "1-12", "1-12:30", "1-12:30:00"; nullopt if
/// it is none.
std::optional<double> parse_slurm_time(const std::string& text);

/// "2:05:00" of seconds, rounded up to minutes.
std::string slurm_time(double seconds);

}  // namespace terrace::app
