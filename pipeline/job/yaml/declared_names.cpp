#include "pipeline/job/yaml/declared_names.hpp"

#include <algorithm>

namespace terrace::job {
namespace {

bool is_digit_of_name(char letter) { return letter >= '0' && letter <= '9'; }

bool is_letter_of_name(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}

}  // namespace

bool is_identifier(std::string_view name) {
  return !name.empty() && is_letter_of_name(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter_of_name(c) || is_digit_of_name(c); });
}

bool is_pattern(std::string_view declared) { return declared.find_first_of("*[") != declared.npos; }

bool is_chosen(std::string_view declared) { return declared.ends_with(".*") || declared.ends_with("[]"); }

std::string_view parent_of(std::string_view declared) {
  if (declared.ends_with("[]")) return declared.substr(0, declared.size() - 2);
  const std::size_t dot = declared.rfind('.');
  return declared.substr(0, dot == declared.npos ? 0 : dot);
}

bool declares(std::string_view declared, std::string_view setting) {
  while (!declared.empty()) {
    std::size_t taken = 0;
    if (declared.front() == '*') {
      while (taken < setting.size() && (is_letter_of_name(setting[taken]) || is_digit_of_name(setting[taken])))
        ++taken;
      if (taken == 0) return false;
      declared.remove_prefix(1);
    } else if (declared.starts_with("[]")) {
      taken = setting.starts_with('[') ? 1 : setting.size();
      while (taken < setting.size() && is_digit_of_name(setting[taken])) ++taken;
      if (taken < 2 || taken >= setting.size() || setting[taken++] != ']') return false;
      declared.remove_prefix(2);
    } else {
      if (setting.empty() || setting.front() != declared.front()) return false;
      taken = 1;
      declared.remove_prefix(1);
    }
    setting.remove_prefix(taken);
  }
  return setting.empty();
}

const Parameter* find_parameter(const std::vector<Parameter>& parameters, std::string_view setting) {
  const auto at = std::find_if(parameters.begin(), parameters.end(),
                               [&](const Parameter& parameter) { return declares(parameter.name, setting); });
  return at == parameters.end() ? nullptr : &*at;
}

std::vector<std::string> settings_of(std::string_view declared, const Settings& settings) {
  std::vector<std::string> found = {""};
  while (!declared.empty()) {
    const std::size_t plain = std::min(declared.find_first_of("*["), declared.size());
    std::vector<std::string> longer;
    for (const std::string& before : found) {
      const std::string name = before + std::string(declared.substr(0, plain));
      if (plain == declared.size()) {
        longer.push_back(name);
      } else if (declared[plain] == '*') {
        for (const std::string& key : settings.names(name.substr(0, name.size() - 1))) longer.push_back(name + key);
      } else {
        const std::int64_t items = settings.count(name);
        for (std::int64_t i = 0; i < items; ++i) longer.push_back(name + "[" + std::to_string(i) + "]");
      }
    }
    found = std::move(longer);
    const std::size_t width = plain == declared.size() ? 0 : declared[plain] == '*' ? 1 : 2;
    declared.remove_prefix(plain + width);
  }
  return found;
}

std::vector<std::string> split_words(std::string_view words) {
  std::vector<std::string> result;
  while (!words.empty()) {
    const std::size_t comma = std::min(words.find(','), words.size());
    std::string_view word = words.substr(0, comma);
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    if (!word.empty()) result.emplace_back(word);
    words.remove_prefix(std::min(comma + 1, words.size()));
  }
  return result;
}

}  // namespace terrace::job
