#include "pipeline/job/same_stages.hpp"

#include <utility>

namespace terrace::job {
namespace {

using nlohmann::json;

/// The object of that name in a list; null if there is none.
const json* find_named(const json& list, const std::string& name) {
  for (const json& item : list) {
    if (item.at("name") == name) return &item;
  }
  return nullptr;
}

/// The text of an entry of a setting; null if the setting has no such entry.
json* find_entry(json& settings, const std::string& setting, std::size_t entry) {
  if (!settings.contains(setting)) return nullptr;
  json& value = settings[setting];
  if (value.is_array()) return entry < value.size() && value[entry].is_string() ? &value[entry] : nullptr;
  return value.is_string() ? &value : nullptr;
}

}  // namespace

SameStages::SameStages(const json& before, const Job& now, CompareInputs compare_inputs, CompareStages compare_stages)
    : before_(before),
      now_(now),
      definition_(defining_json(now)),
      defaults_(defaults_of(now)),
      compare_inputs_(std::move(compare_inputs)),
      compare_stages_(std::move(compare_stages)) {
  for (const Stage& stage : now.stages) match(stage);
}

std::optional<std::string> SameStages::earlier(const std::string& stage) const {
  const auto at = matches_.find(stage);
  return at == matches_.end() ? std::nullopt : std::optional(at->second);
}

std::string SameStages::difference(const std::string& stage) const {
  const auto at = differences_.find(stage);
  return at == differences_.end() ? std::string() : at->second;
}

/// Looks for the stage in the earlier job. All stages that it reads have been looked for.
void SameStages::match(const Stage& stage) {
  const auto try_to = [&](const json& before) {
    const std::string name = before.at("name");
    if (taken_.contains(name)) return false;
    const auto found = compare(before, stage);
    if (found) {
      if (name == stage.name) differences_[stage.name] = *found;
      return false;
    }
    matches_[stage.name] = name;
    taken_.insert(name);
    return true;
  };
  const json& stages = before_.at("stages");
  if (const json* same_name = find_named(stages, stage.name); same_name != nullptr && try_to(*same_name)) return;
  for (const json& before : stages) {
    const std::string name = before.at("name");
    // A stage of this job that has the name may match it.
    if (now_.find_stage(name) == nullptr && try_to(before)) return;
  }
}

/// The first difference between the identities, for people.
std::optional<std::string> SameStages::compare(const json& before, const Stage& stage) const {
  const std::string name = before.at("name");
  if (results_of(before_, name) != stage.results) return other_results(stage);
  json old = before, now = *find_named(definition_.at("stages"), stage.name);
  old["name"] = now["name"];
  old["temporary"] = now["temporary"];
  old = in_words_of(old, now, defaults_);
  if (auto found = replace_names(stage.arrays, stage.settings, old.at("settings"))) return found;
  if (auto found = first_difference({{"stages", {old}}}, {{"stages", {now}}}, defaults_)) return found;
  return compare_stages_(name, stage);
}

/// Gives arrays of the earlier job the names that the same arrays have in this job.
/// @param before settings of the earlier job, changed
/// @return the first difference of an array that has one name in both jobs
std::optional<std::string> SameStages::replace_names(const std::vector<std::string>& arrays, const Settings& settings,
                                                     json& before) const {
  std::optional<std::string> difference;
  for (const ArrayName& named : array_names(arrays, settings)) {
    json* entry = find_entry(before, named.setting, named.entry);
    if (entry == nullptr) continue;
    const auto found = compare_array(entry->get<std::string>(), named.name);
    if (!found) *entry = named.name;
    else if (*entry == named.name && !difference) difference = found;
    else if (!difference) difference = named.setting + " was " + entry->get<std::string>() + " and is " + named.name;
  }
  return difference;
}

/// Compares inputs, or arrays that stages write.
std::optional<std::string> SameStages::compare_array(const std::string& before, const std::string& now) const {
  const std::size_t old_slash = before.find('/'), slash = now.find('/');
  const std::string other = "'" + before + "' was read and now '" + now + "'";
  if ((old_slash == std::string::npos) != (slash == std::string::npos)) return other;
  if (slash == std::string::npos) return compare_input(before, now);
  if (before.substr(old_slash) != now.substr(slash)) return other;
  const auto match = matches_.find(now.substr(0, slash));
  if (match != matches_.end() && match->second == before.substr(0, old_slash)) return std::nullopt;
  return "it reads '" + now + "', which has changed";
}

std::optional<std::string> SameStages::compare_input(const std::string& before, const std::string& now) const {
  json old = before_.at("inputs").at(before);
  const json& definition = definition_.at("inputs").at(now);
  const Input& input = *now_.find_input(now);
  if (old.at("kind") == input.kind) {
    if (auto found = replace_names(input.arrays, input.settings, old.at("settings"))) return found;
  }
  json& settings = old.at("settings");
  for (const std::string& name : input.files) {
    if (settings.contains(name)) settings[name] = definition.at("settings").at(name);
  }
  if (auto found = first_difference({{"inputs", {{now, old}}}}, {{"inputs", {{now, definition}}}}, defaults_)) {
    return found;
  }
  return compare_inputs_(before, now);
}

}  // namespace terrace::job
