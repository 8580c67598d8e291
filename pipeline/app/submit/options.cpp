#include "pipeline/app/submit/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "pipeline/base/error.hpp"

namespace terrace::app {
namespace {

/// Short options of sbatch that stand for suggested ones.
constexpr std::array<std::pair<char, const char*>, 8> short_names = {{{'t', "time"},
                                                                      {'J', "job-name"},
                                                                      {'o', "output"},
                                                                      {'a', "array"},
                                                                      {'n', "ntasks"},
                                                                      {'c', "cpus-per-task"},
                                                                      {'G', "gpus"},
                                                                      {'p', "partition"}}};

/// The name of an option, without dashes and value.
std::string name_of_option(const std::string& word) {
  if (word.starts_with("--")) return word.substr(2, word.find('=') - 2);
  const auto at =
      std::find_if(short_names.begin(), short_names.end(), [&](const auto& s) { return s.first == word[1]; });
  return at == short_names.end() ? word.substr(1, 1) : at->second;
}

/// A word as sbatch reads it in a script.
std::string quoted(const std::string& word) {
  if (word.find_first_of(" \t\"'\\#") == std::string::npos) return word;
  std::string text = "\"";
  for (const char letter : word)
    text += letter == '"' || letter == '\\' ? std::string("\\") + letter : std::string(1, letter);
  return text + "\"";
}

/// The numbers between colons; empty if there is anything else.
std::vector<double> fields_of(const std::string& text) {
  std::vector<double> fields;
  const char *at = text.data(), *end = at + text.size();
  while (true) {
    int number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || number < 0) return {};
    fields.push_back(number);
    if (next == end) return fields;
    if (*next != ':') return {};
    at = next + 1;
  }
}

}  // namespace

SbatchOptions::SbatchOptions(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const bool is_option = word.size() > 1 && word.starts_with('-');
    if (is_option) given_.push_back({name_of_option(word), {word}});
    else if (given_.empty()) throw JobError("'" + word + "' is no option of sbatch; behind -- stand its options");
    else given_.back().words.push_back(word);
  }
}

bool SbatchOptions::suggest(const std::string& name, const std::string& value,
                            const std::vector<std::string>& others) {
  const bool given = has(name) || std::any_of(others.begin(), others.end(), [&](const auto& o) { return has(o); });
  if (!given) suggested_.push_back("--" + name + (value.empty() ? "" : "=" + quoted(value)));
  return !given;
}

bool SbatchOptions::has(const std::string& name) const {
  return std::any_of(given_.begin(), given_.end(), [&](const Option& option) { return option.name == name; });
}

std::optional<std::string> SbatchOptions::value_of(const std::string& name) const {
  for (const Option& option : given_) {
    if (option.name != name) continue;
    if (option.words.size() > 1) return option.words[1];
    const std::string& word = option.words[0];
    if (!word.starts_with("--")) return word.substr(2);
    const std::size_t equals = word.find('=');
    return equals == std::string::npos ? "" : word.substr(equals + 1);
  }
  return std::nullopt;
}

std::string SbatchOptions::lines() const {
  std::string text;
  for (const std::string& option : suggested_) text += "#SBATCH " + option + "\n";
  for (const Option& option : given_) {
    text += "#SBATCH";
    for (const std::string& word : option.words) text += " " + quoted(word);
    text += "\n";
  }
  return text;
}

std::optional<double> parse_slurm_time(const std::string& text) {
  const std::size_t dash = text.find('-');
  const bool days = dash != std::string::npos;
  const std::vector<double> day = days ? fields_of(text.substr(0, dash)) : std::vector<double>{0};
  const std::vector<double> rest = fields_of(days ? text.substr(dash + 1) : text);
  if (day.size() != 1 || rest.empty() || rest.size() > 3) return std::nullopt;
  const double units[] = {3600, 60, 1};
  // Without days the first of one or two fields is minutes.
  const std::size_t first = !days && rest.size() < 3 ? 1 : 0;
  double seconds = day[0] * 86400;
  for (std::size_t i = 0; i < rest.size(); ++i) seconds += rest[i] * units[first + i];
  return seconds;
}

std::string slurm_time(double seconds) {
  const auto minutes = static_cast<long>(std::ceil(seconds / 60));
  return fmt::format("{}:{:02}:00", minutes / 60, minutes % 60);
}

}  // namespace terrace::app
