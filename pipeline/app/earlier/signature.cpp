#include "pipeline/app/earlier/signature.hpp"

#include <fmt/format.h>

#include "io/files/durable.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/job/identity.hpp"
#include "pipeline/run/build_id.hpp"
#include "pipeline/run/inputs.hpp"
#include "pipeline/run/run.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

Json state_of(const std::filesystem::path& path) {
  const auto state = io::file_state(path);
  if (!state) return {{"path", text_json(path.string())}};
  return {{"path", text_json(path.string())},
          {"size", state->size},
          {"time", state->modified},
          {"changed", state->changed},
          {"inode", state->inode}};
}

}  // namespace

Signature signature_of(const job::OpenJob& open, const Machine& machine) {
  Signature signature;
  signature.identity = job::defining_json(open.job);
  signature.fixed = {{"backend", machine.cuda() ? "cuda" : "cpu"},
                     {"kind", machine.main.resources.device.kind},
                     {"program", run::build_id()}};
  if (machine.cpu) signature.cpu = machine.cpu->resources.device.kind;
  signature.inputs = inputs_of(open);
  signature.defaults = job::defaults_of(open.job);
  for (const job::Stage& stage : open.job.stages) signature.other_results[stage.name] = job::other_results(stage);
  for (const auto& [name, source] : open.inputs) {
    const auto changed = source->changed_default();
    if (!changed) continue;
    signature.changed_defaults[name] =
        job::changed_default("inputs." + name + "." + changed->earlier.parameter, changed->earlier, changed->now);
  }
  return signature;
}

Json inputs_of(const job::OpenJob& open) {
  Json inputs = Json::object();
  for (const auto& [name, source] : open.inputs) {
    Json files = Json::array();
    for (const auto& file : source->files()) files.push_back(state_of(file));
    inputs[name] = {{"files", files},
                    {"type", name_of(source->type())},
                    {"shape", std::vector<std::int64_t>(source->shape().begin(), source->shape().end())},
                    {"results", source->results()}};
  }
  return inputs;
}

Json contents_of(const job::OpenJob& open) {
  Json contents = Json::object();
  for (const auto& [name, source] : open.inputs) contents[name] = run::content_of(*source);
  return contents;
}

Outdated outdated(const Signature& before, const Signature& now) {
  const auto number = [](const Json& inputs, const std::string& name) {
    return inputs.value(name, Json::object()).value("results", 1);
  };
  Outdated found;
  for (const auto& [name, input] : now.inputs.items()) {
    if (number(before.inputs, name) != number(now.inputs, name)) found.inputs.insert(name);
  }
  for (const Json& stage : now.identity.at("stages")) {
    const std::string name = stage.at("name");
    if (job::results_of(before.identity, name) != job::results_of(now.identity, name)) found.stages.insert(name);
  }
  return found;
}

std::optional<std::string> input_difference(const Json& before, const Json& now, FileStates states) {
  for (const auto& [name, input] : now.items()) {
    const Json earlier = before.value(name, Json::object());
    const std::string changed = "input '" + name + "' has changed: ";
    for (const char* key : {"type", "shape"}) {
      const Json old = earlier.value(key, Json());
      if (old != input[key]) return changed + *job::first_difference({{key, old}}, {{key, input[key]}});
    }
    const Json old_files = earlier.value("files", Json::array());
    if (old_files.size() != input["files"].size()) {
      return changed + fmt::format("it had {} files and has {}", old_files.size(), input["files"].size());
    }
    for (std::size_t i = 0; states != FileStates::none && i < old_files.size(); ++i) {
      const bool all = states == FileStates::all;
      if (auto found = run::file_difference(old_files[i], input["files"][i], all)) return changed + *found;
    }
  }
  return std::nullopt;
}

Signature signature_in(const Json& plan) {
  Signature signature{plan.at("identity"), plan.at("fixed"), plan.at("inputs")};
  signature.cpu = plan.value("cpu", "");
  return signature;
}

std::optional<std::string> machine_difference(const Signature& before, const Signature& now) {
  if (auto found = job::first_difference(before.fixed, now.fixed)) return found;
  if (before.cpu.empty() || before.cpu == now.cpu) return std::nullopt;
  return job::first_difference({{"cpu", before.cpu}}, {{"cpu", now.cpu}});
}

std::optional<Difference> difference(const Signature& before, const Signature& now) {
  if (auto found = job::first_difference(before.identity, now.identity, now.defaults)) return Difference{*found};
  const Outdated old = outdated(before, now);
  if (!old.inputs.empty()) {
    const std::string& input = *old.inputs.begin();
    const auto changed = now.changed_defaults.find(input);
    if (changed != now.changed_defaults.end()) return Difference{changed->second};
    return Difference{"this version reads input '" + input + "' otherwise", true};
  }
  if (!old.stages.empty()) {
    return Difference{now.other_results.at(*old.stages.begin()), true};
  }
  if (auto found = input_difference(before.inputs, now.inputs, FileStates::none)) return Difference{*found};
  if (auto found = machine_difference(before, now)) return Difference{*found};
  return std::nullopt;
}

}  // namespace terrace::app
