#include "pipeline/job/identity.hpp"

#include <algorithm>

#include "pipeline/base/json.hpp"

namespace terrace::job {
namespace {

using nlohmann::json;

json to_json(double number) { return number_json(number); }
json to_json(const std::vector<double>& numbers) { return numbers_json(numbers); }
json to_json(const std::string& text) { return text_json(text); }
json to_json(const std::vector<std::string>& texts) {
  json list = json::array();
  for (const std::string& text : texts) list.push_back(text_json(text));
  return list;
}

template <class T>
json to_json(const T& value) {
  return value;
}

/// A path in the job's folder relative to it, any other path unchanged.
std::string portable(const std::string& path, const std::filesystem::path& folder) {
  const auto relative = std::filesystem::path(path).lexically_relative(folder);
  return relative.empty() || *relative.begin() == ".." ? path : relative.generic_string();
}

json settings_json(const Settings& settings, const std::vector<std::string>& files,
                   const std::filesystem::path& folder) {
  json result = json::object();
  settings.for_each([&](const std::string& name, const Value& value, const Place&) {
    result[name] = std::visit([](const auto& held) { return to_json(held); }, value);
  });
  for (const std::string& name : files) result[name] = text_json(portable(settings.text(name), folder));
  return result;
}

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

std::string backend_name(Backend backend) {
  if (backend == Backend::cuda) return "cuda";
  return backend == Backend::cpu ? "cpu" : "auto";
}

constexpr std::size_t longest = 80;  // letters of a value in a message
constexpr const char* results_key = "results";

std::string text_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string in_words(const json& value) {
  const std::string text = text_of(value);
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

/// Bytes [from, ...) of a long text, as many as a message takes.
std::string part_from(const std::string& text, std::size_t from) {
  const std::string end = text.size() > from + longest ? "..." : "";
  return (from > 0 ? "..." : "") + text.substr(from, longest) + end;
}

/// "was 1 and is 2". For long values the parts that differ.
std::string change_of(const json& before, const json& now) {
  const std::string old_text = text_of(before), new_text = text_of(now);
  std::size_t from = 0;
  if (std::max(old_text.size(), new_text.size()) > longest) {
    const auto [old_at, new_at] = std::mismatch(old_text.begin(), old_text.end(), new_text.begin(), new_text.end());
    const auto same = static_cast<std::size_t>(old_at - old_text.begin());
    from = same > longest / 2 ? same - longest / 2 : 0;
  }
  return "was " + part_from(old_text, from) + " and is " + part_from(new_text, from);
}

/// The names of the items of a list, in order; empty if not all of them have names, or two have the same.
std::vector<std::string> names_of(const json& list) {
  std::vector<std::string> names;
  for (const json& item : list) {
    const bool named = item.is_object() && item.contains("name") && item["name"].is_string();
    if (!named || std::find(names.begin(), names.end(), item["name"].get<std::string>()) != names.end()) return {};
    names.push_back(item["name"]);
  }
  return names;
}

/// The first of the names that is missing in the others; empty if there is none.
std::string first_not_in(const std::vector<std::string>& names, const std::vector<std::string>& others) {
  for (const std::string& name : names) {
    if (std::find(others.begin(), others.end(), name) == others.end()) return name;
  }
  return "";
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

class Comparison {
 public:
  explicit Comparison(const Defaults& defaults) : defaults_(defaults) {}

  std::optional<std::string> compare(const std::string& path, const json& before, const json& now) const {
    if (before == now) return std::nullopt;
    if (before.is_object() && now.is_object()) return compare_objects(path, before, now);
    if (before.is_array() && now.is_array()) {
      const std::vector<std::string> old_names = names_of(before), new_names = names_of(now);
      if (!old_names.empty() && !new_names.empty()) return compare_named(path, before, old_names, now, new_names);
      if (before.size() != now.size() && std::max(text_of(before).size(), text_of(now).size()) > longest) {
        return path + " had " + std::to_string(before.size()) + " values and has " + std::to_string(now.size());
      }
    }
    const auto earlier = defaults_.earlier.find(path);
    if (earlier != defaults_.earlier.end() && defaults_.paths.contains(path)) {
      if (plain(before) == earlier->second.value) return changed_default(path, earlier->second, plain(now));
    }
    return (path.empty() ? "the job" : path) + " " + change_of(before, now);
  }

 private:
  /// A value in the form in which a job has it.
  static std::string plain(const json& value) {
    return value.is_string() ? value.get<std::string>() : text_of(value);
  }

  static std::string below(const std::string& path, const std::string& key) {
    // In a job, the keys in "settings" are keys of the stage itself.
    if (key == "settings") return path;
    return path.empty() ? key : path + "." + key;
  }

  std::optional<std::string> compare_objects(const std::string& path, const json& before, const json& now) const {
    for (const auto& [key, value] : now.items()) {
      if (path.empty() && key == results_key) continue;
      const std::string at = below(path, key);
      if (!before.contains(key)) {
        const auto earlier = defaults_.earlier.find(at);
        if (earlier != defaults_.earlier.end()) {
          if (plain(value) == earlier->second.value) continue;
          if (defaults_.paths.contains(at)) return changed_default(at, earlier->second, plain(value));
        }
        if (defaults_.paths.contains(at)) continue;
        return at + " was not given and is " + in_words(value);
      }
      if (auto found = compare(below(path, key), before[key], value)) return found;
    }
    for (const auto& [key, value] : before.items()) {
      if (path.empty() && key == results_key) continue;
      if (now.contains(key)) continue;
      const std::string at = below(path, key);
      const auto earlier = defaults_.earlier.find(at);
      if (earlier != defaults_.earlier.end() && plain(value) == earlier->second.value) continue;
      return at + " was " + in_words(value) + " and is not given";
    }
    return std::nullopt;
  }

  /// For lists of objects with names: a missing or new name, else a changed object, else their order.
  std::optional<std::string> compare_named(const std::string& path, const json& before,
                                           const std::vector<std::string>& old_names, const json& now,
                                           const std::vector<std::string>& new_names) const {
    const std::string gone = first_not_in(old_names, new_names), added = first_not_in(new_names, old_names);
    const auto has = [&](const std::string& name) { return path + " has no '" + name + "' any more"; };
    if (!gone.empty() && !added.empty()) return has(gone) + ", and '" + added + "' is new";
    if (!gone.empty()) return has(gone);
    if (!added.empty()) return "'" + added + "' is new in " + path;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const auto at = std::find(old_names.begin(), old_names.end(), new_names[i]) - old_names.begin();
      if (auto found = compare(below(path, new_names[i]), before[static_cast<std::size_t>(at)], now[i])) return found;
    }
    if (old_names == new_names) return std::nullopt;
    return "the order of " + path + " was " + joined(old_names) + " and is " + joined(new_names);
  }

  const Defaults& defaults_;
};

}  // namespace

json defining_json(const Job& job) {
  json inputs = json::object(), stages = json::array(), results = json::object();
  for (const Input& input : job.inputs) {
    inputs[input.name] = {{"kind", input.kind}, {"settings", settings_json(input.settings, input.files, job.folder)}};
  }
  for (const Stage& stage : job.stages) {
    stages.push_back({{"name", stage.name},
                      {"kind", stage.kind},
                      {"problem", stage.problem},
                      {"temporary", stage.temporary},
                      {"settings", settings_json(stage.settings, stage.files, job.folder)}});
    results[stage.name] = stage.results;
  }
  return {{"inputs", inputs}, {"stages", stages}, {results_key, results}};
}

int results_of(const json& identity, const std::string& stage) {
  const json numbers = identity.value(results_key, json::object());
  return numbers.value(stage, 1);
}

std::string other_results(const Stage& stage) {
  return "this version gives other results of stage '" + stage.name + "'" +
         (stage.results_change.empty() ? "" : ": " + stage.results_change);
}

json accompanying_json(const Job& job) {
  json scratch = {{"path", job.scratch.path ? text_json(job.scratch.path->string()) : json(nullptr)},
                  {"size", or_null(job.scratch.size)}};
  return {{"name", text_json(job.name)},
          {"memory", {{"host", or_null(job.host_memory)}, {"device", or_null(job.device_memory)}}},
          {"scratch", scratch},
          {"backend", backend_name(job.backend)},
          {"compile", job.compiles ? "auto" : "never"},
          {"checkpoint", {{"every", or_null(job.checkpoint_every)}}},
          {"devices", or_null(job.devices)},
          {"threads", or_null(job.threads)},
          {"output", text_json(job.output.string())}};
}

Defaults defaults_of(const Job& job) {
  Defaults defaults;
  const auto add = [&](const std::string& owner, const Settings& settings) {
    settings.for_each([&](const std::string& name, const Value&, const Place& place) {
      if (place.text.empty()) defaults.paths.insert(owner + "." + name);
    });
  };
  for (const Input& input : job.inputs) {
    add("inputs." + input.name, input.settings);
    for (const EarlierDefault& earlier : input.earlier_defaults) {
      defaults.earlier["inputs." + input.name + "." + earlier.parameter] = earlier;
    }
  }
  for (const Stage& stage : job.stages) {
    add("stages." + stage.name, stage.settings);
    for (const EarlierDefault& earlier : stage.earlier_defaults) {
      defaults.earlier["stages." + stage.name + "." + earlier.parameter] = earlier;
    }
    if (stage.in_words_of != nullptr) defaults.in_words_of[stage.name] = stage.in_words_of;
  }
  return defaults;
}

std::string changed_default(const std::string& path, const EarlierDefault& earlier, const std::string& now) {
  return path + " was " + earlier.value + ", the default of an earlier version, and is " + now +
         ", the default now; `" + earlier.parameter + ": " + earlier.value + "` keeps it";
}

json in_words_of(const json& before, const json& now, const Defaults& defaults) {
  const auto found = defaults.in_words_of.find(now.at("name").get<std::string>());
  if (found == defaults.in_words_of.end()) return before;
  for (const char* key : {"kind", "problem"}) {
    if (before.value(key, "") != now.at(key).get<std::string>()) return before;
  }
  json reworded = before;
  reworded["settings"] = found->second(before.at("settings"), now.at("settings"));
  return reworded;
}

std::optional<std::string> first_difference(const json& before, const json& now, const Defaults& defaults) {
  json reworded = before;
  if (!defaults.in_words_of.empty() && before.contains("stages")) {
    for (json& stage : reworded["stages"]) {
      for (const json& other : now.at("stages")) {
        if (stage.at("name") == other.at("name")) stage = in_words_of(stage, other, defaults);
      }
    }
  }
  return Comparison(defaults).compare("", reworded, now);
}

}  // namespace terrace::job
