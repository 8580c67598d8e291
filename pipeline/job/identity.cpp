#include "pipeline/job/identity.hpp"

#include <algorithm>
#include <cmath>

namespace terrace::job {
namespace {

using nlohmann::json;

json to_json(double number) {
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  return number;
}

json to_json(const std::vector<double>& numbers) {
  json list = json::array();
  for (double number : numbers) list.push_back(to_json(number));
  return list;
}

template <class T>
json to_json(const T& value) {
  return value;
}

/// A path in the job's folder relative to it, another as it is.
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
  for (const std::string& name : files) result[name] = portable(settings.text(name), folder);
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

std::string in_words(const json& value) {
  constexpr std::size_t longest = 80;
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

/// Part of a path: a stage by its name, where both sides have the same.
std::string step(const json& before, const json& now, std::size_t index) {
  const auto name_of = [](const json& item) {
    const bool named = item.is_object() && item.contains("name") && item["name"].is_string();
    return named ? item["name"].get<std::string>() : std::string();
  };
  const std::string name = name_of(now);
  return !name.empty() && name == name_of(before) ? name : std::to_string(index);
}

class Comparison {
 public:
  std::optional<std::string> compare(const std::string& path, const json& before, const json& now) const {
    if (before == now) return std::nullopt;
    if (before.is_object() && now.is_object()) return compare_objects(path, before, now);
    const bool lists_of_objects =
        before.is_array() && now.is_array() && before.size() == now.size() && !now.empty() && now[0].is_object();
    if (lists_of_objects) return compare_lists(path, before, now);
    return (path.empty() ? "the job" : path) + " was " + in_words(before) + " and is " + in_words(now);
  }

 private:
  static std::string below(const std::string& path, const std::string& key) {
    // "settings" only groups what a job's author sees as keys of the stage.
    if (key == "settings") return path;
    return path.empty() ? key : path + "." + key;
  }

  std::optional<std::string> compare_objects(const std::string& path, const json& before, const json& now) const {
    for (const auto& [key, value] : now.items()) {
      if (!before.contains(key)) return below(path, key) + " was not given and is " + in_words(value);
      if (auto found = compare(below(path, key), before[key], value)) return found;
    }
    for (const auto& [key, value] : before.items()) {
      if (!now.contains(key)) return below(path, key) + " was " + in_words(value) + " and is not given";
    }
    return std::nullopt;
  }

  std::optional<std::string> compare_lists(const std::string& path, const json& before, const json& now) const {
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (auto found = compare(below(path, step(before[i], now[i], i)), before[i], now[i])) return found;
    }
    return std::nullopt;
  }
};

}  // namespace

json defining_json(const Job& job) {
  json inputs = json::object(), stages = json::array();
  for (const Input& input : job.inputs) {
    inputs[input.name] = {{"kind", input.kind}, {"settings", settings_json(input.settings, input.files, job.folder)}};
  }
  for (const Stage& stage : job.stages) {
    stages.push_back({{"name", stage.name},
                      {"kind", stage.kind},
                      {"problem", stage.problem},
                      {"temporary", stage.temporary},
                      {"settings", settings_json(stage.settings, stage.files, job.folder)}});
  }
  return {{"inputs", inputs}, {"stages", stages}};
}

json accompanying_json(const Job& job) {
  json scratch = {{"path", job.scratch.path ? json(job.scratch.path->string()) : json(nullptr)},
                  {"size", or_null(job.scratch.size)}};
  return {{"name", job.name},
          {"memory", {{"host", or_null(job.host_memory)}, {"device", or_null(job.device_memory)}}},
          {"scratch", scratch},
          {"backend", backend_name(job.backend)},
          {"checkpoint", {{"every", or_null(job.checkpoint_every)}}},
          {"devices", or_null(job.devices)},
          {"output", job.output.string()}};
}

std::optional<std::string> first_difference(const json& before, const json& now) {
  return Comparison().compare("", before, now);
}

}  // namespace terrace::job
